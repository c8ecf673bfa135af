# bash completion of @program@, made from its option tables. No program runs while a word is completed.

# Sets `options` to the table of a verb: an option a line, "=" after one that takes a value and "=,"
# after one that takes a list, after that the values or words that it may have.
_@program@_options() {
    case $1 in
@tables@
    *)
        options=
        ;;
    esac
}

# Offers those of the words that start with `cur`. What follows "=" or ":" comes without a blank.
_@program@_offer() {
    local word

    for word in $1; do
        [[ $word != "$cur"* ]] || COMPREPLY+=("$prefix$word")
    done
    [[ ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != *[=:] ]] || compopt -o nospace
}

# Offers the rest of files whose names begin with `before`, which has an @.
_@program@_offer_rests() {
    local file

    while read -r file; do
        [[ ! -d $file ]] || file+=/
        COMPREPLY+=("@${file#"$before@"}")
    done < <(compgen -f -- "$before@$cur")
}

# Offers files: readline's own way, unless it would take `prefix` for a part of the name.
_@program@_offer_files() {
    local file

    if [[ ! $prefix ]]; then
        compopt -o default
        return
    fi
    while read -r file; do
        [[ ! -d $file ]] || file+=/
        COMPREPLY+=("$prefix$file")
    done < <(compgen -f -- "$cur")
    [[ ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != */ ]] || compopt -o nospace
}

# Offers words for the end of a list with commas, but those that stand in it already. No blank comes
# after one, as another may follow.
_@program@_offer_next() {
    local word words=''

    if [[ $cur == *,* ]]; then
        for word in $1; do
            [[ ,${cur%,*}, == *,"$word",* ]] || words+=${cur%,*},$word$'\n'
        done
    else
        words=$1
    fi
    _@program@_offer "$words"
    compopt -o nospace
}

# Offers values of `option`; fails if it takes none.
_@program@_offer_values() {
    local line

    for line in $options; do
        if [[ $line == "$option=" || $line == "$option=," ]]; then
            _@program@_offer_files
            return 0
        elif [[ $line == "$option= "* ]]; then
            line=${line#*= }
            _@program@_offer "${line// /$'\n'}"
            return 0
        elif [[ $line == "$option=, "* ]]; then
            line=${line#*=, }
            _@program@_offer_next "${line// /$'\n'}"
            return 0
        elif [[ $line == "$option" && $joined ]]; then
            _@program@_offer $'true\nfalse'
            return 0
        fi
    done
    return 1
}

# Sets `verb`, and `first` to the number of the first word after it. Fails if the verb is not there
# yet, with `words` set to what it may go on with.
_@program@_find_verb() {
    local verbs='@verbs@' line

    [[ $verbs ]] || return 0
    while [[ $first -lt $COMP_CWORD ]]; do
        verb+=${verb:+ }${COMP_WORDS[first++]}
        [[ $'\n'$verbs$'\n' != *$'\n'"$verb"$'\n'* ]] || return 0
    done
    for line in $verbs; do
        [[ "$line " == "${verb:+$verb }"* ]] || continue
        line=${line#"${verb:+$verb }"}
        line=${line%% *}
        [[ $'\n'$words == *$'\n'"$line"$'\n'* ]] || words+=$line$'\n'
    done
    return 1
}

_@program@() {
    local IFS=$'\n'
    local cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local verb='' first=1 words='' options option='' joined='' prefix='' before='' line

    COMPREPLY=()
    if ! _@program@_find_verb; then
        _@program@_options "$verb"
        _@program@_offer "$words$options"
        return
    fi
    _@program@_options "$verb"
    for ((; first < COMP_CWORD; first++)); do
        if [[ ${COMP_WORDS[first]} == -- ]]; then
            _@program@_offer_files
            return
        fi
    done

    # readline splits "--option=value" at "=", unless it was told not to, and "TRACE@CLUSTER" before
    # the "@", which stays a part of what it replaces.
    # It splits "exec:COMMAND" around the ":", too.
    if [[ $previous == : && $cur == *,* ]]; then
        option=${COMP_WORDS[COMP_CWORD - 3]}
        [[ $option != = ]] || option=${COMP_WORDS[COMP_CWORD - 4]}
        [[ $option != --*=* ]] || option=${option%%=*}
    elif [[ $cur == = ]]; then
        option=$previous joined=1 cur=
    elif [[ $previous == = ]]; then
        option=${COMP_WORDS[COMP_CWORD - 2]} joined=1
    elif [[ $cur == --*=* ]]; then
        option=${cur%%=*} joined=1 prefix=$option= cur=${cur#*=}
    elif [[ $cur == @ ]]; then
        prefix=@ cur= before=$previous
    elif [[ $previous == @ ]]; then
        prefix=@ before=${COMP_WORDS[COMP_CWORD - 2]}
    elif [[ $previous == --* ]]; then
        option=$previous
    fi
    if [[ $option ]] && _@program@_offer_values; then
        return
    fi
    if [[ $cur != -* ]]; then
        [[ ! $before ]] || _@program@_offer_rests
        _@program@_offer_files
        return
    fi
    for line in $options; do
        line=${line%% *}
        words+=${line%,}$'\n'
    done
    _@program@_offer "$words"
}

complete -F _@program@ @program@
