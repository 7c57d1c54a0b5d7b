# SPDX-License-Identifier: Apache-2.0
# Completion for sgemm-info, sgemm-tune and sgemm-bench in bash. Options, kernels and suites are what the program itself
# says, so that this file does not age.

_sgemm_words() { # COMMAND...: the options in a program's --help
    "$@" --help 2>/dev/null | grep -oE -- '--[a-z0-9][a-z0-9-]*' | sort -u
}

_sgemm_kernels() {
    sgemm-info --kernels 2>/dev/null | grep -E '^[a-z0-9]'
}

_sgemm_values() { # PROGRAM OPTION: what may follow it; empty: anything
    case $2 in
    --device) echo "gpu cpu" && sgemm-info 2>/dev/null | grep -oE '^ +[0-9]+:[0-9]+' ;;
    --kernel | --kernels) [ "$1 $2" = "sgemm-info --kernels" ] || { _sgemm_kernels; [ "$1" = sgemm-info ] || echo all; } ;;
    --edges) echo "automatic none padding guarded pointer_shift extension" ;;
    --peel) echo "automatic never always" ;;
    --pre-passes) echo "automatic fused separate" ;;
    --plan) echo "NN NT TN TT" ;;
    --strategy) echo "model hill exhaustive" ;;
    --verify) echo "sampled full off" ;;
    --values) echo "uniform positive normal" ;;
    --shapes) [ "$1" != sgemm-bench ] || sgemm-bench --list-shapes 2>/dev/null | grep -oE '^[a-z0-9-]+' ;;
    --impl) sgemm-bench --list-impl 2>/dev/null | grep -oE '^[a-z0-9:-]+' ;;
    esac
}

_sgemm() {
    local program=${COMP_WORDS[0]##*/} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} values
    COMPREPLY=()
    case $before in
    --output | --journal | --picture | --table | --install-into-source | --report | --scatter)
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        return
        ;;
    esac
    values=$(_sgemm_values "$program" "$before")
    if [ -z "$values" ]; then
        case $program in
        sgemm-tune)
            local command=()
            case ${COMP_WORDS[1]-} in
            measure | fit | validate | replay) [ "$COMP_CWORD" -le 1 ] || command=("${COMP_WORDS[1]}") ;;
            esac
            values=$(_sgemm_words "${COMP_WORDS[0]}" "${command[@]}")
            [ "$COMP_CWORD" != 1 ] || values+=" measure fit validate replay"
            ;;
        *) values=$(_sgemm_words "${COMP_WORDS[0]}") ;;
        esac
    fi
    mapfile -t COMPREPLY < <(compgen -W "$values" -- "$word")
    if [ ${#COMPREPLY[@]} = 0 ]; then
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
}

complete -F _sgemm sgemm-info sgemm-tune sgemm-bench
