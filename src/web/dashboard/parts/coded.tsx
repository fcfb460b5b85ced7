import type { ComponentType } from 'preact';

/** Text with code in backticks. */
export const Coded = ({ text, as: Code = Plain }: { text: string; as?: ComponentType<{ text: string }> }) =>
  text.split('`').map((part, index) => (index % 2 === 0 ? part : <Code key={index} text={part} />));

const Plain = ({ text }: { text: string }) => <code>{text}</code>;
