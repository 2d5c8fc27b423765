#compdef cadre
# Completion of cadre for zsh
_cadre() {
  local line kind=:none
  local -a values descriptions
  while IFS= read -r line; do
    case $line in
      :*) kind=$line ;;
      *)
        values+=("${line%%$'\t'*}")
        descriptions+=("${line/$'\t'/  -- }")
        ;;
    esac
  done < <(command cadre complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)
  (( ${#values} > 0 )) && compadd -l -d descriptions -a values
  case $kind in
    :files) _files ;;
    :folders) _files -/ ;;
  esac
}
if [[ "${funcstack[1]}" == _cadre ]]; then _cadre "$@"; else compdef _cadre cadre; fi
