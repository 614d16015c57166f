/** The id is in the query: callers choose it, and as a part of a path `..` would be resolved by the browser. */
export const requestPath = (id: string): string => `/console/request?${new URLSearchParams({ id }).toString()}`
