import { ADDRESS_FLAGS, type CommandWords, type Flag, namesOf, type Place, valuedFlags, type Words } from './words.ts';

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
    string match -qr -- '^(${ADDRESS_FLAGS.join('|')})=' $word; and set -a where $word
  end
  set -l program $typed[1]
  command -q $program; or set program npx layaway
  $program __complete $argv $where 2>/dev/null
end
function __layaway_list
  set -l typed (string replace -r '^--[\\w-]+=' '' -- (commandline -ct))
  set -l before (string match -r '^.*,' -- $typed); or set before ''
  printf '%s\\n' $before$argv
end
function __layaway_past
  set -l typed (__layaway_typed)
  test "$typed[1..$(count $argv)]" = "$argv"; and test (count $typed) -gt (count $argv)
end
function __layaway_word
  set -l typed (__layaway_typed)
  echo $typed[$argv]
end
function __layaway_command
  complete -C (string replace -r '^.*?\\s--\\s+' '' -- (commandline -cp))
end
function __layaway_of_npx
  test (count (commandline -opc)) -gt 1; and test (commandline -opc)[2] = layaway
end
function __layaway_npx
  complete -C (string replace -r '^\\s*npx\\s+' '' -- (commandline -cp))
end
complete -c npx -n 'test (count (commandline -opc)) -eq 1' -a layaway
complete -c npx -n __layaway_of_npx -f -a '(__layaway_npx)'
complete -c layaway -f
complete -c layaway -n 'contains -- -- (commandline -opc)' -F -a '(__layaway_command)'
${words.nouns.map(({ name, summary }) => `complete -c layaway -n '__layaway_at' -a ${name} -d ${quoted(summary)}`).join('\n')}
${words.globals.map((flag) => `complete -c layaway ${flagged(flag)}`).join('\n')}
${words.commands.flatMap(lines).join('\n')}
`;

function lines({ noun, verb, verbs, flags, argument, rest }: CommandWords): string[] {
  const path = `${noun} ${verb}`.trim();
  return [
    ...verbs.map(
      ({ name, summary }) => `complete -c layaway -n '__layaway_at ${noun}' -a ${name} -d ${quoted(summary)}`,
    ),
    ...flags.map((flag) => `complete -c layaway -n '__layaway_under ${path}' ${flagged(flag)}`),
    ...(argument === null ? [] : [`complete -c layaway -n '__layaway_at ${path}' ${offering(argument)}`]),
    ...(rest === null ? [] : [`complete -c layaway -n '__layaway_past ${path}' ${offering(rest, path)}`]),
  ];
}

function flagged({ name, short, summary, takesValue, value }: Flag): string {
  const names = [...(short === null ? [] : [`-s ${short.slice(1)}`]), `-l ${name.slice(2)}`].join(' ');
  const given = value === null ? '-x' : 'files' in value ? '-r -F' : `-x ${offering(value)}`;
  return `${names}${takesValue ? ` ${given}` : ''} -d ${quoted(summary)}`;
}

function offering(place: Place, path = ''): string {
  if ('files' in place) return '-F';
  if ('words' in place) {
    // A star would be a pattern of file names.
    const words = place.words.map((word) => word.replaceAll('*', '\\*')).join(' ');
    return `-a ${quoted(place.isList ? `(__layaway_list ${words})` : words)}`;
  }
  const first = path.split(' ').length + 1;
  return `-a '(__layaway_live ${place.live}${place.of ? `:(__layaway_word ${first})` : ''})'`;
}

const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
