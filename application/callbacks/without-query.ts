/**
 * A URL as it is shown to people who operate the service: what stands behind `?` or `#` is often a token, and so left
 * out. What is no URL is given back as it is up to there.
 */
export const withoutQuery = (url: string): string => url.replace(/[?#].*$/su, "")
