# Completion of cadre for bash
_cadre() {
  local IFS=$' \t\n' word line value prefix kind=:none is_joined= i
  local -a words=()
  # Bash divides words at ":" and "="; they are parts of a word of cadre.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=$(printf '%s' "${COMP_WORDS[i]}" | tr -d "\"'")
    if (( ${#words[@]} > 0 )) && [[ $is_joined || $word == [:=]* ]]; then
      words[${#words[@]}-1]+=$word
    else
      words+=("$word")
    fi
    [[ $word == *[:=] ]] && is_joined=1 || is_joined=
  done
  word=${words[${#words[@]}-1]}
  prefix=${word%"${word##*[:=]}"}
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :*) kind=$line ;;
      *)
        value=${line%%$'\t'*}
        COMPREPLY+=("$(printf '%q' "${value#"$prefix"}")")
        ;;
    esac
  done < <(command cadre complete -- "${words[@]}" 2>/dev/null)
  [[ $kind == :none ]] && return
  compopt -o filenames 2>/dev/null
  while IFS= read -r line; do
    COMPREPLY+=("$line")
  done < <(if [[ $kind == :folders ]]; then compgen -d -- "$word"; else compgen -f -- "$word"; fi)
}
complete -F _cadre cadre
