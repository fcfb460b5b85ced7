/** What others typed must not steer the reader's terminal. */
export const harmless = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, ' ');
