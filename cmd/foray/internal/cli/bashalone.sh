# Without the package bash-completion, words end at blanks. If it is loaded later, its functions come first.
if ! declare -F _get_comp_words_by_ref >/dev/null; then
    __foray_init_completion() {
        COMPREPLY=()
        read -ra words <<<"${COMP_LINE:0:COMP_POINT}"
        if [[ ${COMP_LINE:0:COMP_POINT} == *[[:space:]] ]]; then
            words+=("")
        fi
        cword=$((${#words[@]} - 1))
        cur=${words[cword]} prev=${words[cword > 0 ? cword - 1 : 0]}
    }
fi
if ! declare -F _filedir >/dev/null; then
    _filedir() {
        local kind=-f IFS=$'\n'
        if [[ ${1-} == -d ]]; then
            kind=-d
        fi
        compopt -o filenames 2>/dev/null
        COMPREPLY=($(compgen "$kind" -- "$cur"))
    }
fi
