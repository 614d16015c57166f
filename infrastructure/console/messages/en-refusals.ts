/** Why something was not done or can't be shown, and how the fields of a form have to be. */
export const enRefusals = {
  reasons: {
    VALIDATION_ERROR: "Something in it is not as it has to be.",
    NOT_FOUND: "There is nothing of this name or id.",
    JOB_NOT_FOUND: "There is no such job.",
    API_SERVER_ERROR: "The event store or a read model is away or behind. Try again in a moment; after a form, look "
      + "first whether it was done."
  },
  fields: {
    name: "From 1 to 200 characters.",
    plan: "From 1 to 100 characters.",
    quota: "A whole number up to 1,000,000,000, or nothing.",
    expiresAt: "A day, or a time with its offset such as 2027-01-31T00:00:00+07:00, or nothing.",
    ipWhitelist: "From 1 to 1,000 entries, each an IPv4 or IPv6 address, a CIDR range, or *.",
    webhookUrl: "An https URL of up to 2,048 characters, without a user name or password.",
    reason: "Up to 500 characters.",
    host: "A host such as shop.example or shop.example:8443.",
    state: "One of the states of this list.",
    cursor: "Not a page of this list: begin with its first one.",
    limit: "A whole number from 1 to 500.",
    jobId: "The id of a job that has ended, and whose result goes to a URL."
  },
  /** Of every other field, and of a form as a whole: what was said of it, which only English repeats. */
  otherField: (message: string) => message,
  /** Of every other reason, which may be what is wrong with a read model, for whoever repairs it. */
  otherReason: (message: string) => message
}
