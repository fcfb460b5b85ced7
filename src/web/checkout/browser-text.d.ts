/** The text that a browser loads; `scripts/browser-text.ts` makes it. */
declare module '*?browser' {
  const text: string;
  export default text;
}
