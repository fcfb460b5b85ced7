/**
 * The user info of a URL is before the last @ in front of its path. Its slashes may be escaped, once for each JSON that the
 * text is in: json_encode of PHP does that.
 */
export const USER_INFO = /:(?:\\*\/){2}[^\s/?#"<>\\]*@/;
/** What is left of the user info of a URL. */
export const NO_USER_INFO = '://…@';
const USER_INFOS = new RegExp(USER_INFO, 'g');
/** A text in which URLs have no user info. */
export const withoutUserInfo = (text: string) => text.replace(USER_INFOS, NO_USER_INFO);

/** With more than the four characters that identify it. */
export const API_KEY = /sk_(?:test|live)_[A-Za-z0-9]{5,}/;
/** In any alphabet of base64, with slashes that may be escaped. */
export const SIGNING_SECRET = /whsec_(?:[A-Za-z0-9+=_-]|\\*\/)+/;
