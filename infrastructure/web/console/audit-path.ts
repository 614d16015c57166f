/** The filters of the audit page. */
export const AUDIT_FILTERS = ["operator", "kind", "subject", "from", "to"] as const
export type AuditFilterName = typeof AUDIT_FILTERS[number]

export type AuditFilters = Readonly<Partial<Record<AuditFilterName, string>>>

export const AUDIT_PATH = "/console/audit"

/** The audit page with filters. */
export const auditPath = (filters: AuditFilters): string => {
  const query = new URLSearchParams(filters).toString()
  return query === "" ? AUDIT_PATH : `${AUDIT_PATH}?${query}`
}
