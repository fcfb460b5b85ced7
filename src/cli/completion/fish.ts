import { ADDRESS_FLAGS, type Flag, namesOf, type Place, type Spot, valuedFlags, type Words } from './words.ts';

/** Everything but live ids is answered by the shell itself, without starting a program. */
export const fish = (
  words: Words,
): string => `# layaway completion for fish. Load it with: layaway completion fish | source
function __layaway_typed
  set -l skip
  for word in (commandline -opc)[2..-1]
    if test -n "$skip"
      set skip
    else if contains -- $word ${valuedFlags(words).flatMap(namesOf).join(' ')}
      set skip 1
    else if not string match -q -- '-*' $word
      echo $word
    end
  end
end
function __layaway_at
  set -l typed (__layaway_typed)
  test "$typed" = "$argv"
end
function __layaway_under
  set -l typed (__layaway_typed)
  test "$typed[1..$(count $argv)]" = "$argv"
end
function __layaway_live
  set -l typed (commandline -opc)
  set -l where
  set -l flag
  for word in $typed
    test -n "$flag"; and set -a where $flag $word
    set flag
    contains -- $word ${ADDRESS_FLAGS.join(' ')}; and set flag $word
  end
  $typed[1] __complete $argv $where 2>/dev/null
end
complete -c layaway -f
${words.nouns.map(({ name, summary }) => `complete -c layaway -n '__layaway_at' -a ${name} -d ${quoted(summary)}`).join('\n')}
${words.globals.map((flag) => `complete -c layaway ${flagged(flag)}`).join('\n')}
complete -c layaway -l help -s h -d 'show what is possible'
${words.spots.flatMap(lines).join('\n')}
`;

function lines({ noun, verb, verbs, flags, argument }: Spot): string[] {
  const path = `${noun} ${verb}`.trim();
  return [
    ...verbs.map(
      ({ name, summary }) => `complete -c layaway -n '__layaway_at ${noun}' -a ${name} -d ${quoted(summary)}`,
    ),
    ...flags.map((flag) => `complete -c layaway -n '__layaway_under ${path}' ${flagged(flag)}`),
    ...(argument === null ? [] : [`complete -c layaway -n '__layaway_at ${path}' ${offering(argument)}`]),
  ];
}

function flagged({ name, short, summary, takesValue, value }: Flag): string {
  const names = [...(short === null ? [] : [`-s ${short.slice(1)}`]), `-l ${name.slice(2)}`].join(' ');
  const given = value === null ? '-x' : 'files' in value ? '-r -F' : `-x ${offering(value)}`;
  return `${names}${takesValue ? ` ${given}` : ''} -d ${quoted(summary)}`;
}

function offering(place: Place): string {
  if ('files' in place) return '-F';
  return 'live' in place ? `-a '(__layaway_live ${place.live})'` : `-a ${quoted(place.words.join(' '))}`;
}

const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
