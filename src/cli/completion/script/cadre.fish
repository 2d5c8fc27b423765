# Completion of cadre for fish
function __cadre_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in (command cadre complete -- $words[2..-1] 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path (commandline -ct)
            case :folders
                __fish_complete_directories (commandline -ct)
            case :none
            case '*'
                printf '%s\n' $line
        end
    end
end
complete -c cadre -f -a '(__cadre_complete)'
