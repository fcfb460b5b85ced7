import { shellQuoted } from '../input/shell-quoted.ts';
import {
  ADDRESS_FLAGS,
  type CommandWords,
  type Flag,
  type Named,
  namesOf,
  nounsWithVerbs,
  offeringFlags,
  type Place,
  valuedFlags,
  type Words,
} from './words.ts';

/** Everything but live ids is answered by the shell itself, without starting a program. */
export const zsh = (words: Words): string => `#compdef layaway
# layaway completion for zsh. Load it after compinit with: eval "$(layaway completion zsh)"
_layaway() {
  local noun= verb= flag= word= live= files= list= first=
  local -a where offered plain program=("\${(Q)words[1]}")
  local -i i args=0
  if [[ \${words[1]} == npx ]]; then
    if (( CURRENT == 2 )); then compadd layaway; _files; return; fi
    [[ \${words[2]} == layaway ]] || { _default; return; }
    shift words
    (( CURRENT -= 1 ))
    program=(npx layaway)
  fi
  for ((i = 2; i < CURRENT; i++)); do
    word=\${(Q)words[i]}
    if [[ -n $flag ]]; then
      case $flag in (${ADDRESS_FLAGS.join('|')}) where+=("$flag" "$word") ;; esac
      flag=
      continue
    fi
    case $word in
      (--)
        shift i words
        (( CURRENT -= i ))
        _normal
        return ;;
      (${valuedFlags(words).flatMap(namesOf).join('|')}) flag=$word ;;
      (${ADDRESS_FLAGS.map((flag) => `${flag}=*`).join('|')}) where+=("$word") ;;
      (-*) ;;
      (*)
        if [[ -z $noun ]]; then noun=$word
        elif [[ -z $verb && ' ${nounsWithVerbs(words)} ' == *" $noun "* ]]; then verb=$word
        else args+=1; first=\${first:-$word}; fi ;;
    esac
  done
  if [[ -z $flag && $PREFIX == --*=* ]]; then
    flag=\${PREFIX%%=*}
    compset -P 1 '*='
  fi
  if [[ -n $flag ]]; then
    case "$noun $verb $flag" in
${offeringFlags(words)
  .map(({ at, value }) => `      (${at.startsWith('*') ? `*'${at.slice(1)}'` : `'${at}'`}) ${place(value)} ;;`)
  .join('\n')}
    esac
  elif [[ $PREFIX == -* ]]; then
    case "$noun $verb" in
${words.commands
  .filter(({ flags }) => flags.length > 0)
  .map(({ noun, verb, flags }) => `      ('${noun} ${verb}') offered=(${described(flags.flatMap(spread))}) ;;`)
  .join('\n')}
    esac
    offered+=(${described(words.globals.flatMap(spread))})
  else
    case "$noun $verb" in
      (' ') offered=(${described(words.nouns)}) ;;
${words.commands.flatMap(argumentCase).join('\n')}
    esac
  fi
  [[ -n $live ]] && offered=(\${(f)"$($program __complete $live $where 2>/dev/null | tr '\\t' ':')"})
  [[ -n $list ]] && compset -P '*,'
  if [[ -n $files ]]; then _files; elif (( $#plain )); then compadd -a plain; else _describe layaway offered; fi
}
if [[ $funcstack[1] == _layaway ]]; then _layaway "$@"; else compdef _layaway layaway; fi
(( $+_comps[npx] )) || compdef _layaway npx
`;

function argumentCase({ noun, verb, verbs, argument, rest }: CommandWords): string[] {
  if (verbs.length > 0) return [`      ('${noun} ') offered=(${described(verbs)}) ;;`];
  if (argument === null) return [];
  const later = rest === null ? '' : ` || ${place(rest)}`;
  return [`      ('${noun} ${verb}') ((args == 0)) && ${place(argument)}${later} ;;`];
}

function place(given: Place): string {
  // `_describe` would split a word at its colon.
  if ('words' in given) {
    return `plain=(${given.words.map((word) => `'${word}'`).join(' ')})${given.isList ? ' list=1' : ''}`;
  }
  if ('files' in given) return 'files=1';
  return given.of ? `live="${given.live}:$first"` : `live=${given.live}`;
}

const spread = (flag: Flag): Named[] => namesOf(flag).map((name) => ({ name, summary: flag.summary }));

const described = (named: readonly Named[]) =>
  named.map(({ name, summary }) => shellQuoted(`${name}:${summary}`)).join(' ');
