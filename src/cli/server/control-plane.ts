/** Whether a path is one of the control plane. Apart from the client, so that `serve` starts without it. */
export const isOfControlPlane = ({ path }: { readonly path: string }) => path.startsWith('/_sim/');
