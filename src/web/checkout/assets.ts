import { checkoutScript } from './script.ts';
import { checkoutIcon, checkoutStyle } from './style.ts';

/** Everything that the checkout pages load, by file name. */
export const checkoutAssets = {
  'checkout.css': { type: 'text/css; charset=utf-8', text: checkoutStyle },
  'checkout.js': { type: 'text/javascript; charset=utf-8', text: checkoutScript },
  'checkout.svg': { type: 'image/svg+xml', text: checkoutIcon },
};
