# SPDX-License-Identifier: GPL-2.0-only
#
# Does the input keep to a JSON schema? Prints a line for each place where it
# does not. Knows what the schemas of Documentation/json use, and says so where
# they use more. Stricter than a schema is: a member that the schema does not
# name is an error, because it is not documented.
#
# usage: jq -r -f schema.jq --slurpfile schema FILE --slurpfile common FILE

def known:
	["$schema", "$id", "title", "description", "$defs", "$ref", "type", "enum", "anyOf",
	 "properties", "required", "additionalProperties", "items", "minItems", "maxItems",
	 "minimum", "maximum", "pattern"];

def is($want):
	if $want == "integer" then type == "number" and . == floor else type == $want end;

def resolve:
	if has("$ref") then
		(.["$ref"] | capture("^common\\.schema\\.json#/\\$defs/(?<name>[a-z]+)$").name) as $n
		| $common[0]["$defs"][$n] // error("no such definition: \($n)")
	else . end;

def errors($raw; $path):
	. as $v
	| ($raw | resolve) as $s
	| (($s | keys) - known | if length > 0 then error("unknown words in the schema: \(.)") else empty end),
	(if $s.type then
		([$s.type] | flatten) as $types
		| if any($types[]; . as $t | $v | is($t)) then empty
		  else "\($path): is \($v | type), not \($types | join(" or "))" end
	 else empty end),
	(if $s.enum and (any($s.enum[]; . == $v) | not) then "\($path): \($v) is none of \($s.enum)" else empty end),
	(if $s.pattern and ($v | type) == "string" and ($v | test($s.pattern) | not) then
		"\($path): \($v) does not match \($s.pattern)" else empty end),
	(if $s.minimum and ($v | type) == "number" and $v < $s.minimum then "\($path): \($v) is too small" else empty end),
	(if $s.maximum and ($v | type) == "number" and $v > $s.maximum then "\($path): \($v) is too large" else empty end),
	(if $s.anyOf then
		[$s.anyOf[] as $one | [$v | errors($one; $path)]] as $tries
		| if any($tries[]; length == 0) then empty else $tries[0][] end
	 else empty end),
	(if ($v | type) == "object" and $s.properties then
		($s.required // [] | .[] as $k | select($v | has($k) | not) | "\($path): has no \($k)"),
		($v | keys[] as $k
		 | if $s.properties[$k] then .[$k] | errors($s.properties[$k]; "\($path).\($k)")
		   elif $s.additionalProperties then .[$k] | errors($s.additionalProperties; "\($path).\($k)")
		   else "\($path): \($k) is not documented" end)
	 else empty end),
	(if ($v | type) == "array" then
		(if $s.minItems and ($v | length) < $s.minItems then "\($path): too short" else empty end),
		(if $s.maxItems and ($v | length) > $s.maxItems then "\($path): too long" else empty end),
		(if $s.items then range(0; $v | length) as $i | $v[$i] | errors($s.items; "\($path)[\($i)]")
		 else empty end)
	 else empty end);

errors($schema[0]; "$")
