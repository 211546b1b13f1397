#!/usr/bin/env bash
# Builds and ships.
set -euo pipefail

options=()
name="build() { not this; }"
path=${name#build}

# Prints usage.
usage() {
	cat <<EOF
usage: it's a ship
fake() {
}
EOF
}

function log {
  local level=$1; shift # fake() {
  echo "[$level] $*" >&2
}

function ship_it() {
  awk '
    function fake(a) { return a }
    { print fake($1) }
  ' "$1"
  if [[ $1 == *"()"* ]]; then
    inner() { echo don\'t; }
    inner
  fi
}

one_line() { echo "${options[@]:-}"; }

lib::helper()
{
  case $1 in
    a|b) echo "{" ;;
    *) : ;;
  esac
}

subshell() (
  cd /tmp
)

main() {
  usage
  log info "$(one_line)"
}

main "$@"
