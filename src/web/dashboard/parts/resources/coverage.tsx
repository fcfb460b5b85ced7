/** A text with commands in backticks. */
export function Levers({ of }: { of: string }) {
  return (
    <span class="soft">
      {of.split('`').map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>))}
    </span>
  );
}
