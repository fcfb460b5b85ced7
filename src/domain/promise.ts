/** Whether it is a promise. The global class may be another one than that of async functions, such as with zone.js. */
export const isPromise = (value: unknown): value is Promise<unknown> =>
  Object.prototype.toString.call(value) === '[object Promise]';
