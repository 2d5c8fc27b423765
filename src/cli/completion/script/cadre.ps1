# Completion of cadre for PowerShell
Register-ArgumentCompleter -Native -CommandName cadre -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.ToString() })
    cadre complete -- @words "$wordToComplete" 2>$null | ForEach-Object {
        if ($_ -match '^:(files|folders)$') {
            Get-ChildItem -Path "$wordToComplete*" -Directory:($Matches[1] -eq 'folders') |
                ForEach-Object { $path = Resolve-Path -Relative $_.FullName
                    [System.Management.Automation.CompletionResult]::new($path, $path, 'ProviderItem', $path) }
        } elseif ($_ -notlike ':*') {
            $value, $description = $_ -split "`t", 2
            if (-not $description) { $description = $value }
            [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $description)
        }
    }
}
