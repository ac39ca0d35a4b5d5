#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The initqueue is about to give up: what did dmhib say last? Sourced by dracut.

if [ -s /run/hibswap.errors ] && ! [ -e /run/hibswap.done ]; then
	while read -r hibswap_line; do
		warn "hibswap: $hibswap_line"
	done </run/hibswap.errors
	unset hibswap_line
	: >/run/hibswap.done
fi
