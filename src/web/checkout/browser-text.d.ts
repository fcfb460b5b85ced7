/** The text that a browser loads, built by `scripts/browser-text.ts`. */
declare module '*?browser' {
  const text: string;
  export default text;
}
