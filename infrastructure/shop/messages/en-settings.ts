/** The texts of the settings in English. */
export const enSettings = {
  title: "Settings",
  lead: "For the owner of the shop. Changes take effect at once.",
  back: "Settings",
  never: "never",
  save: "Save",
  dangerous: "This cannot be undone.",
  usage: {
    title: "Use of the quota",
    month: "Month",
    used: (used: number, max: number | null) =>
      max === null ? `${used} checks charged. The quota is unlimited.` : `${used} of ${max} checks charged.`,
    left: (left: number) => `${left} left until the end of the month.`,
    none: "The quota is used up. Ask the operator of the service for more, or wait for the next month.",
    plot: "Checks per day",
    about: (month: string) => `Stacked bars for each day of ${month}: confirmed, already used, not confirmed.`,
    day: "Day",
    verified: "Confirmed",
    duplicates: "Already used",
    failed: "Not confirmed",
    charged: "Charged",
    table: "The numbers as a table",
    empty: "No checks in this month."
  },
  webhook: {
    title: "Webhook",
    about: "The address of your own system. It receives the result of each slip that is checked later.",
    none: "No address is set.",
    url: "URL",
    urlHint:
      "A public address that begins with https://. Leave it empty to send nothing. Slips that are accepted from now on use it.",
    secret: "Signing secret",
    secretAbout: "Your system checks with the secret that a callback comes from this service.",
    overlap: "How long the old secret works too",
    overlaps: { "0": "Not at all: replace it now", "3600": "1 hour", "86400": "1 day", "604800": "7 days" },
    overlapHint:
      "During this time callbacks carry two signatures. Put the new secret into your system before the time is over.",
    rotate: "Make a new secret",
    newSecret: "New signing secret",
    oldUntil: "The old secret works until"
  },
  deliveries: {
    title: "Callbacks sent",
    about: "Each attempt to deliver a result to your system, the newest first.",
    all: "All",
    failed: "Failed",
    rejected: "Refused",
    delivered: "Delivered",
    filter: "Outcome",
    check: "Check",
    resend: "Send again",
    states: { sent: "No outcome known", delivered: "Delivered", rejected: "Refused", failed: "Failed" },
    took: (millis: number) => `${millis} ms`,
    attempt: (attempt: number) => `Attempt ${attempt}`,
    none: "No callbacks here.",
    first: "Newest",
    next: "Older"
  },
  keys: {
    title: "Keys and devices",
    about: "Each device and each program has its own key. Revoke the key of a lost device: it stops at once.",
    name: "Name",
    nameHint: "Such as Till 1, or Back office.",
    isDefault: "Default key",
    inUse: "this device",
    scopes: "May",
    scopeLabels: {
      verify: "check slips and write notes",
      read: "see earlier checks",
      configure: "change settings and keys"
    },
    states: { active: "Works", replaced: "Replaced, still works", expired: "Expired", revoked: "Revoked" },
    expires: "Last day",
    expiresHint: "Empty: as long as the key of this device.",
    lastUsed: "Last used",
    unused: "not yet",
    create: "New key",
    rotate: "Replace",
    rotateTitle: "Replace a key",
    rotateHint: "The new key has the same name, scopes and last day. Put it into the device before the old one ends.",
    overlap: "How long the old key works too",
    revoke: "Revoke",
    revokeTitle: "Revoke a key",
    revokeHint: "The device or the program with this key stops at once, and for good.",
    revokeOwn: "This is the key of this device. You are signed out at once, and need another key to come back.",
    confirm: (name: string) => `Type “${name}” to confirm`,
    newKey: "New API key",
    oldUntil: "The old key works until",
    more: "Older keys are not shown."
  },
  accounts: {
    title: "Bank accounts",
    about:
      "The accounts on which the shop receives money. A slip to another account is refused where accounts are compared.",
    none: "No account is registered yet.",
    bank: "Bank",
    number: "Number",
    numberHint: "As the bank writes it; hyphens and spaces are dropped.",
    nameTh: "Name of the holder in Thai",
    nameEn: "Name of the holder in English",
    extraVerify: "Kind of the number",
    extraVerifyHint: "Only for banks that have a choice, such as PromptPay.",
    noExtra: "Not needed",
    active: "In use",
    inactive: "Not in use",
    create: "Add an account",
    change: "Change",
    deactivate: "Stop using it",
    deactivateHint: "Slips to this account no longer match. You can add the number again later."
  },
  secrets: {
    lead: "Save this now. It is shown this once only, and is not stored.",
    copy: "Copy",
    copied: "Copied",
    go: "Saved. Continue"
  },
  done: {
    webhookSaved: "The URL is saved.",
    resent: "The callback is sent again. Its outcome appears in a moment.",
    keyRevoked: "The key is revoked.",
    accountSaved: "The account is saved.",
    accountStopped: "The account is no longer in use.",
    noteAdded: "The note is added."
  }
}

/** The fields of the forms on these pages. */
export const enSettingsFields = {
  url: "A public address that begins with https://, without user name and password.",
  name: "1 to 100 characters.",
  scopes: "Choose at least one, and only what the key of this device may do itself.",
  expiresAt: "A day in the future that is not after the last day of this device's key.",
  overlapSeconds: "Choose one of the times.",
  confirm: "The text is not the name of the key.",
  bankCode: "Choose a bank of the list.",
  bankNumber: "The number does not fit the bank, or another account of the shop has it.",
  nameTh: "1 to 100 characters.",
  nameEn: "1 to 100 characters.",
  extraVerify: "Choose the kind that the bank needs.",
  jobId: "This check has no callback to send again."
}
