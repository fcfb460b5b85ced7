/** What an Accept header or its like names, in lower case, with the weight of each. Other parameters are left out. */
export const weightsIn = (accepted: string | string[] | undefined): ReadonlyMap<string, number> =>
  new Map(
    String(accepted ?? '')
      .toLowerCase()
      .split(',')
      .map((each) => {
        const [name = ''] = each.split(';', 1);
        return [name.trim(), Number(/;\s*q=([^;\s]*)/.exec(each)?.[1] ?? 1)] as const;
      }),
  );
