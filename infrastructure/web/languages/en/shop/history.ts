/** The texts of the history and of one verification in English. */
export const enHistory = {
  title: "History",
  lead: "What this branch checked, the newest first.",
  period: "Period",
  all: "All",
  today: "Today",
  yesterday: "Yesterday",
  week: "7 days",
  from: "From",
  to: "To",
  days: "Other days",
  show: "Show",
  outcome: "Result",
  every: "All results",
  outcomes: { verified: "Confirmed", duplicate: "Already used", failed: "Not confirmed" },
  searchLabel: "Search by amount, remark, reference, or the last six characters of a reference",
  searchHint: "1,250.50, order 42, or the last 6 characters of the reference",
  search: "Search",
  clear: "Clear the search",
  searched: {
    referenceEnd: (text: string) => `Slips whose reference ends with “${text}”.`,
    amount: (text: string) => `Slips over ${text} baht.`,
    remark: (text: string) => `Slips with the remark “${text}”.`,
    reference: (text: string) => `Slips with the reference “${text}”.`
  },
  instead: "Search instead for:",
  searchBy: {
    referenceEnd: "the end of the reference",
    amount: "the amount",
    remark: "the remark",
    reference: "the whole reference"
  },
  none: "No checks here. Choose another period or result.",
  noneYet: "No slip was checked yet. The first one appears here a moment after its check.",
  noneOnPage: "No matches among the checks that were searched. Older ones follow.",
  counts: (verified: number, duplicates: number, failed: number) =>
    `${verified} confirmed · ${duplicates} already used · ${failed} not confirmed`,
  conditions: "Conditions not met",
  noSlip: "No slip",
  first: "Newest",
  next: "Older"
}

export const enVerification = {
  back: "History",
  facts: "The slip",
  checkedAt: "Checked",
  answer: "The answer",
  charged: "Quota",
  units: { one: "1 check charged", none: "Free of charge" },
  remark: "Remark",
  id: "Id of the check",
  conditions: "Conditions",
  met: "All conditions were met.",
  erased: "The personal data of this slip was erased. Amount, time and sending bank remain.",
  notes: "Notes",
  noNotes: "No notes yet.",
  erasedNote: "The text was erased with the slip.",
  by: (key: string | null) => key === null ? "default key" : `key ${key}`,
  note: "New note",
  noteHint: "1 to 500 characters, for the people of the shop. A note cannot be changed or removed.",
  addNote: "Add note",
  timeline: "What happened",
  steps: {
    received: "Slip accepted, to be checked later",
    attempt: (attempt: number) => `Attempt ${attempt}: the bank has not confirmed the transfer`,
    asked: (millis: number) => `Bank asked; it answered in ${millis} ms`,
    verified: "Answered: confirmed by the bank",
    duplicate: "Answered: already used. The first answer of the bank holds, so it was not asked again",
    failed: "Answered: not confirmed",
    sent: "Callback sent; no outcome is known",
    delivered: (status: number | null) => `Callback delivered (${status ?? "–"})`,
    rejected: (status: number | null) => `Callback refused by the receiver (${status ?? "–"})`,
    undelivered: (reason: string) => `Callback failed: ${reason}`,
    note: "Note added"
  },
  callbacks: "Callbacks",
  noCallbacks: "This check sends no callback.",
  reasons: {
    amount_differs: "The amount is not the expected one",
    amount_too_low: "The amount is too low",
    amount_too_high: "The amount is too high",
    transferred_too_early: "The transfer was made too early",
    transferred_too_late: "The transfer was made too late",
    receiver_differs: "The money went to another account",
    receiver_indeterminate: "The receiver is not certain",
    sending_bank_not_allowed: "The sending bank is not accepted",
    duplicate: "The slip was already used"
  }
}

/** The fields of the forms on these pages. */
export const enHistoryFields = {
  text: "1 to 500 characters.",
  from: "A day that is not after the last day.",
  to: "A day."
}
