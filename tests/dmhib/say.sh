# SPDX-License-Identifier: GPL-2.0-only
#
# What the tests on this machine and those in a guest share: calling dmhib, and
# counting. $DMHIB is the program, $out and $err are the files for what it says,
# $here is the directory with schema.jq, $SCHEMAS that of the JSON schemas.
# shellcheck shell=dash disable=SC2154

passed=0
failed=0
schemas=

pass() { passed=$((passed + 1)); }

bad() {
	failed=$((failed + 1))
	echo "FAIL $*"
	sed 's/^/     | /' "$out" "$err" 2>/dev/null | head -20
}

# keeps_schema WHAT ARGUMENT...: an answer in JSON is as it is documented
keeps_schema() {
	local what verb word faults

	what=$1
	shift
	case " $* " in *" --json "*) ;; *) return 0 ;; esac
	[ -s "$out" ] || return 0
	for word; do
		case $word in -*) ;; *) verb=$word; break ;; esac
	done
	faults=$(jq -r -f "$here/schema.jq" --slurpfile schema "$SCHEMAS/$verb.schema.json" \
		--slurpfile common "$SCHEMAS/common.schema.json" "$out" 2>&1)
	if [ -z "$faults" ]; then pass; else bad "$what: schema of $verb: $faults"; fi
	schemas="$schemas $verb"
}

# t CODE WHAT ARGUMENT...: runs dmhib, expects an exit code
t() {
	local want what got

	want=$1
	what=$2
	shift 2
	"$DMHIB" "$@" >"$out" 2>"$err" </dev/null
	got=$?
	if [ "$got" = "$want" ]; then
		pass
		keeps_schema "$what" "$@"
	else
		bad "$what: exit $got, not $want: dmhib $*"
	fi
}

# says FILE PATTERN WHAT: the last command's $out or $err has it
says() {
	if grep -qE -e "$2" "$1"; then pass; else bad "$3: no \"$2\""; fi
}
