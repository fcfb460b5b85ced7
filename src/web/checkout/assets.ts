/// <reference path="./browser-text.d.ts" />
import base from '../base.css?browser';
import icon from './icon.svg?browser';
import script from './script.ts?browser';
import style from './style.css?browser';

/** The files that the checkout pages load, by name. */
export const checkoutAssets = {
  'checkout.css': { type: 'text/css; charset=utf-8', text: `${base}${style}` },
  'checkout.js': { type: 'text/javascript; charset=utf-8', text: script },
  'checkout.svg': { type: 'image/svg+xml', text: icon },
};
