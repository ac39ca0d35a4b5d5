# SPDX-License-Identifier: GPL-2.0-only
#
# dmhib's bash completion, sourced by run: does it offer what dmhib takes?
# shellcheck shell=bash disable=SC2154,SC2086

# complete_to WORD...: what is offered for the last word, sorted, in one line
complete_to() {
	# shellcheck disable=SC2016,SC1091
	bash --norc -c '
		. "$1"
		shift
		COMP_WORDS=(dmhib "$@")
		COMP_CWORD=$#
		_dmhib
		printf "%s\n" "${COMPREPLY[@]}" | sort -u | tr "\n" " "
	' bash "$here/../../tools/dmhib/dmhib.bash-completion" "$@" | sed 's/ $//'
}

# None of what is called here is to find devices of this machine in hibswaptab(5)
export DMHIB_ROOT=$work/nothing

"$DMHIB" --help >help
# As --help says it, with the aliases
verbs=$(sed -n '/^Actions/,/^Options/s/^  \([a-z]*\) .*/\1/p' help)
same "$(complete_to '')" "$(printf '%s\n' $verbs create remove | sort | tr '\n' ' ' | sed 's/ $//')" "verbs"
common="--batch-mode --debug --help --verbose --version"
for verb in $verbs; do
	options=$(sed -n "/^  $verb /,/^         [a-z]/p" help | grep -oE -e '--[a-z-]+' | sort -u)
	same "$(complete_to "$verb" -)" "$(printf '%s\n' $options $common | sort -u | tr '\n' ' ' | sed 's/ $//')" "options of $verb"
	# And dmhib knows them: it complains of something else
	for option in $options; do
		"$DMHIB" "$verb" "$option" >out 2>err </dev/null
		if grep -qE 'unknown option|does not know' err; then bad "$verb does not take $option"; else pass; fi
	done
done
same "$(complete_to wi)" wipe "a beginning"
same "$(complete_to wipe x '')" "all image super" "what to wipe"
same "$(complete_to wipe --zero x a)" all "what to wipe, behind an option"
same "$(complete_to format x --region-size 1)" "" "a size"
: >some-file
same "$(complete_to open --tab some-)" some-file "behind open --tab"
same "$(complete_to open --tab some-file --w)" "--wait --window --wipe" "behind --tab FILE"
same "$(complete_to setup --root /tmp --wi)" "--window" "behind --root DIR"
same "$(complete_to open --wait 5)" "" "seconds"
same "$(complete_to resize --region-start 1M x --f)" "--fill --force" "behind an option with a value"
same "$(complete_to dump nothing-like-this)" "" "a file that is not there"
same "$(complete_to dump some-)" some-file "a file"
same "$(complete_to open --window some-)" some-file "behind open --window"
rm -f some-file help
unset DMHIB_ROOT
