# Our schemas against the descriptors in released packages. v1.4, v1.5, v1.6 and v1.8 have no Python release.

schema_release() { # DIALECT [RELEASE]
	needs protoc
	if [ $# -gt 1 ]; then
		oracle_with "$2" schema-check "$1"
	else
		oracle schema-check "$1"
	fi
}

try schema-v1.10 schema_release v1.10
try schema-v1.9 schema_release v1.9 "$OTP_V1_9"
try schema-v1.7 schema_release v1.7 "$OTP_V1_7"
