/** What shells source. They need nothing but the shell itself, and ask the program for every word. */
export const scripts: Readonly<Record<string, string | undefined>> = {
  bash: `# slipway completion for bash: source <(slipway completion bash)
_slipway() {
  COMPREPLY=()
  local line
  while IFS= read -r line; do
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <(slipway complete -- "\${COMP_WORDS[@]:1:$COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _slipway slipway
`,
  zsh: `#compdef slipway
# slipway completion for zsh: source <(slipway completion zsh)
_slipway() {
  local -a found
  local line
  while IFS= read -r line; do
    line="\${line//:/\\\\:}"
    found+=("\${line/$'\\t'/:}")
  done < <(slipway complete -- "\${(@)words[2,$CURRENT]}" 2>/dev/null)
  if (( \${#found} )); then _describe slipway found; else _files; fi
}
compdef _slipway slipway
`,
  fish: `# slipway completion for fish: slipway completion fish | source
function __slipway_complete
  set -l words (commandline -opc) (commandline -ct)
  slipway complete -- $words[2..-1] 2>/dev/null
end
complete -c slipway -a '(__slipway_complete)'
`,
  powershell: `# slipway completion for PowerShell: slipway completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName slipway -ScriptBlock {
  param($word, $ast, $position)
  $words = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($word -eq '') { $words += '' }
  slipway complete -- @words 2>$null | ForEach-Object {
    $value, $about = $_ -split "\`t", 2
    if (-not $about) { $about = $value }
    [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $about)
  }
}
`,
};

export const shells = Object.keys(scripts);
