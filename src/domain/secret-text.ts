/** The user info of a URL is before the last @ in front of its path. */
export const USER_INFO = /:\/\/[^\s/?#"<>\\]*@/;
/** With more than the four characters that identify it. */
export const API_KEY = /sk_(?:test|live)_[A-Za-z0-9]{5,}/;
/** In any alphabet of base64. */
export const SIGNING_SECRET = /whsec_[A-Za-z0-9+/=_-]+/;
