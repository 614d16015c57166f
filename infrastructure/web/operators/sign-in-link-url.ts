/** The URL of a sign-in link below an origin. Its holder signs one device in: it never reaches a log line. */
export const signInLinkUrl = (origin: string, token: string): string => `${origin}/app/link/${token}`
