import {
  ADDRESS_FLAGS,
  type CommandWords,
  namesOf,
  nounsWithVerbs,
  offeringFlags,
  type Place,
  valuedFlags,
  type Words,
} from './words.ts';

/** A word at the beginning of a line, up to a space outside of quotes; a quote need not be closed yet. */
const WORD = String.raw`$'^[[:space:]]*(([^[:space:]\'"\\]|\\\\(.|$)|\'[^\']*(\'|$)|"([^"\\]|\\\\.)*("|\\\\?$))+)'`;

/** Everything but live ids is answered by the shell itself, without starting a program. */
export const bash = (
  words: Words,
): string => `# layaway completion for bash. Load it with: eval "$(layaway completion bash)"
_layaway() {
  local line=\${COMP_LINE:0:COMP_POINT} cur= lead= noun= verb= flag= word= offered= live= files= list= first= breaks= kept= i
  local -a typed where program=("$1")
  local -i args=0
  local words=${WORD}
  # Read apart here, with quotes: COMP_WORDS is split at the colons of a URL, too.
  while [[ $line =~ $words ]]; do
    typed+=("\${BASH_REMATCH[1]}")
    line=\${line:\${#BASH_REMATCH[0]}}
  done
  [[ -n $line ]] || { cur=\${typed[\${#typed[@]}-1]}; unset "typed[\${#typed[@]}-1]"; }
  if [[ $1 == npx ]]; then
    typed=("\${typed[@]:1}") program=(npx layaway)
    ((\${#typed[@]} == 0)) && { COMPREPLY=($(compgen -W layaway -- "$cur")); return; }
    [[ \${typed[0]} == layaway ]] || return
  fi
  for ((i = 1; i < \${#typed[@]}; i++)); do
    word=\${typed[i]}
    if [[ -n $flag ]]; then
      case $flag in ${ADDRESS_FLAGS.join('|')}) where+=("$flag" "\${word//[\\"\\']/}") ;; esac
      flag=
      continue
    fi
    case $word in
      --)
        ((i + 1 == \${#typed[@]})) && COMPREPLY=($(compgen -c -- "$cur"))
        compopt -o default 2>/dev/null
        return ;;
      ${valuedFlags(words).flatMap(namesOf).join('|')}) flag=$word ;;
      ${ADDRESS_FLAGS.map((flag) => `${flag}=*`).join('|')}) where+=("\${word//[\\"\\']/}") ;;
      -*) ;;
      *)
        if [[ -z $noun ]]; then noun=$word
        elif [[ -z $verb && ' ${nounsWithVerbs(words)} ' == *" $noun "* ]]; then verb=$word
        else args+=1; first=\${first:-$word}; fi ;;
    esac
  done
  [[ -z $flag && $cur == --*=* ]] && flag=\${cur%%=*} lead=$flag= cur=\${cur#*=}
  if [[ -n $flag ]]; then
    case "$noun $verb $flag" in
${offeringFlags(words)
  .map(({ at, value }) => `      ${at.startsWith('*') ? `*'${at.slice(1)}'` : `'${at}'`}) ${place(value)} ;;`)
  .join('\n')}
    esac
  elif [[ $cur == -* ]]; then
    case "$noun $verb" in
${words.commands
  .filter(({ flags }) => flags.length > 0)
  .map(({ noun, verb, flags }) => `      '${noun} ${verb}') offered=${quoted(flags.flatMap(namesOf))} ;;`)
  .join('\n')}
    esac
    offered+=' ${words.globals.flatMap(namesOf).join(' ')}'
  else
    case "$noun $verb" in
      ' ') offered=${quoted(words.nouns.map(({ name }) => name))} ;;
${words.commands.flatMap(argumentCase).join('\n')}
    esac
  fi
  [[ -n $live ]] && offered=$("\${program[@]}" __complete "$live" \${where[@]+"\${where[@]}"} 2>/dev/null | cut -f1)
  [[ -n $files ]] && compopt -o default 2>/dev/null
  [[ -n $list && $cur == *,* ]] && lead+=\${cur%,*}, cur=\${cur##*,}
  # Readline replaces only what follows the last of these characters.
  [[ $COMP_WORDBREAKS == *:* ]] && breaks+=:
  [[ $COMP_WORDBREAKS == *=* ]] && breaks+==
  word=$lead$cur
  [[ -n $breaks ]] && kept=\${word%"\${word##*[$breaks]}"}
  while IFS= read -r word; do
    COMPREPLY+=("\${word#"$kept"}")
  done < <(compgen -P "$lead" -W "$offered" -- "$cur")
}
complete -F _layaway layaway
complete -p npx &>/dev/null || complete -o default -F _layaway npx
`;

function argumentCase({ noun, verb, verbs, argument, rest }: CommandWords): string[] {
  if (verbs.length > 0) return [`      '${noun} ') offered=${quoted(verbs.map(({ name }) => name))} ;;`];
  if (argument === null) return [];
  const later = rest === null ? '' : ` || ${place(rest)}`;
  return [`      '${noun} ${verb}') ((args == 0)) && ${place(argument)}${later} ;;`];
}

function place(given: Place): string {
  if ('words' in given) return `offered=${quoted(given.words)}${given.isList ? ' list=1' : ''}`;
  if ('files' in given) return 'files=1';
  return given.of ? `live="${given.live}:$first"` : `live=${given.live}`;
}

const quoted = (words: readonly string[]) => `'${words.join(' ')}'`;
