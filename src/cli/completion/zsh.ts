import {
  ADDRESS_FLAGS,
  type Flag,
  type Named,
  namesOf,
  type Place,
  type Spot,
  valuedFlags,
  type Words,
} from './words.ts';

/** Everything but live ids is answered by the shell itself, without starting a program. */
export const zsh = (words: Words): string => `#compdef layaway
# layaway completion for zsh. Load it after compinit with: eval "$(layaway completion zsh)"
_layaway() {
  local noun= verb= flag= word= live= files=
  local -a where offered
  local -i i args=0
  for ((i = 2; i < CURRENT; i++)); do
    word=\${(Q)words[i]}
    if [[ -n $flag ]]; then
      case $flag in (${ADDRESS_FLAGS.join('|')}) where+=("$flag" "$word") ;; esac
      flag=
      continue
    fi
    case $word in
      (--) _normal; return ;;
      (${valuedFlags(words).flatMap(namesOf).join('|')}) flag=$word ;;
      (-*) ;;
      (*)
        if [[ -z $noun ]]; then noun=$word
        elif [[ -z $verb && ' ${nounsWithVerbs(words)} ' == *" $noun "* ]]; then verb=$word
        else args+=1; fi ;;
    esac
  done
  if [[ -n $flag ]]; then
    case $flag in
${valuedFlags(words)
  .filter((each): each is Flag & { value: Place } => each.value !== null)
  .map((each) => `      (${namesOf(each).join('|')}) ${place(each.value)} ;;`)
  .join('\n')}
    esac
  elif [[ $PREFIX == -* ]]; then
    case "$noun $verb" in
${words.spots
  .filter(({ flags }) => flags.length > 0)
  .map(({ noun, verb, flags }) => `      ('${noun} ${verb}') offered=(${described(flags.flatMap(spread))}) ;;`)
  .join('\n')}
    esac
    offered+=(${described([...words.globals.flatMap(spread), { name: '--help', summary: 'show what is possible' }])})
  else
    case "$noun $verb" in
      (' ') offered=(${described(words.nouns)}) ;;
${words.spots.flatMap(argumentCase).join('\n')}
    esac
  fi
  [[ -n $live ]] && offered=(\${(f)"$(\${(Q)words[1]} __complete $live $where 2>/dev/null | tr '\\t' ':')"})
  if [[ -n $files ]]; then _files; else _describe layaway offered; fi
}
if [[ $funcstack[1] == _layaway ]]; then _layaway "$@"; else compdef _layaway layaway; fi
`;

const nounsWithVerbs = ({ spots }: Words) =>
  spots
    .filter(({ verbs }) => verbs.length > 0)
    .map(({ noun }) => noun)
    .join(' ');

function argumentCase({ noun, verb, verbs, argument }: Spot): string[] {
  if (verbs.length > 0) return [`      ('${noun} ') offered=(${described(verbs)}) ;;`];
  return argument === null ? [] : [`      ('${noun} ${verb}') ((args == 0)) && ${place(argument)} ;;`];
}

function place(given: Place): string {
  if ('words' in given) return `offered=(${given.words.join(' ')})`;
  return 'live' in given ? `live=${given.live}` : 'files=1';
}

const spread = (flag: Flag): Named[] => namesOf(flag).map((name) => ({ name, summary: flag.summary }));

const described = (named: readonly Named[]) =>
  named.map(({ name, summary }) => `'${name}:${summary.replaceAll("'", "'\\''")}'`).join(' ');
