/** The exports of a route file: a function for each method. */
type Route = object;

export declare function serveRoutes(
  routes: Readonly<Record<string, Route>>,
  dynamic: Readonly<Record<string, Route>>,
  port?: number,
): Promise<{ readonly origin: string; close(): Promise<void> }>;
