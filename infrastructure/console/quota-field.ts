import type { Fields } from "../input/decode.ts"

/** The quota of a form as the admin API takes it: empty is unlimited; what is no number is left to be refused. */
export const quotaOf = ({ quota }: Fields): unknown => {
  if (quota === undefined) return null
  return typeof quota === "string" && /^\d+$/u.test(quota.trim()) ? Number(quota) : quota
}
