import { enBranchSettings, settingTexts } from "./branch-settings.ts"
/** The texts around forms in English: rejections, results, confirmations and new secrets. */
export const enForms = {
  rejections: {
    reasons: {
      VALIDATION_ERROR: "Some input is not valid.",
      ROLE_MISSING: "Your role may not do this. Ask an administrator.",
      NOT_FOUND: "Nothing has this name or id.",
      LastAdmin: "The operator is the last administrator. Add another one first, or set ADMIN_TOKEN.",
      JOB_NOT_FOUND: "No job has this id.",
      BANK_ACCOUNT_DUPLICATE: "Another active account of the service has this bank and number. Deactivate it first.",
      API_SERVER_ERROR: "The event store or a read model is unavailable or catching up. Try again shortly. "
        + "If you sent a form, check first whether it took effect."
    },
    fields: {
      ...settingTexts(enBranchSettings, "refused"),
      name: "1 to 200 characters.",
      operatorName: "1 to 64 letters, digits and . _ @ + -, with a letter or digit first. ADMIN_TOKEN is taken.",
      operatorTaken: "Another operator has this name.",
      role: "One of the roles of the list.",
      plan: "1 to 100 characters.",
      expiresAt: "A date and time in Bangkok, or empty. That of a key is in the future.",
      scopes: "At least one scope.",
      validHours: "A whole number from 1 to 168.",
      linkId: "The link was redeemed: revoke the key of its device.",
      networks: "1 to 100 entries. Each is an IPv4 or IPv6 address, or a CIDR range.",
      reason: "Up to 500 characters.",
      host: "A host such as shop.example or shop.example:8443.",
      state: "One of the states of this list.",
      q: "1 to 512 characters.",
      from: "A day such as 2026-11-21, or a time such as 2026-11-21 15:45.",
      to: "A day such as 2026-11-21 that is not before the first one.",
      outcome: "verified, duplicate, failed, or the code of a failure.",
      accepted: "true or false.",
      isDuplicate: "true or false.",
      minAmount: "Baht with at most two decimals, such as 1500.50.",
      maxAmount: "Baht with at most two decimals, not below the lowest amount.",
      remark: "1 to 255 characters.",
      reference: "A whole reference of letters and digits, or BANK:REFERENCE such as 004:013071152533APM07736.",
      branch: "The id of a branch.",
      service: "The id of a service.",
      bankAccount: "The id of a bank account.",
      cursor: "Not a page of this list. Start at the first page.",
      limit: "A whole number from 1 to 500.",
      confirm: "The text is not the name. Type the name as it is shown, or copy it.",
      jobId: "The id of a finished job with a callback URL.",
      accounts: "The branch has as many active accounts as it may have. Deactivate one of them first.",
      bankCode: "A code of the bank list, such as 004 or PROMPTPAY.",
      bankNumber: "The whole number, in the length of its kind: 10 to 15 digits at a bank, 10 for a phone, "
        + "13 for a national or tax id, 15 for an e-Wallet or a biller, 10 to 20 for K SHOP. The reference of K SHOP "
        + "(KPS004KB…) is no biller id: give 010753600031508, and the last 14 characters of the reference as ref1.",
      ref1: "1 to 30 letters and digits; for K SHOP KB and 12 digits. None for PromptPay.",
      merchantId: "1 to 30 letters and digits. None for PromptPay.",
      nameTh: "1 to 100 characters.",
      nameEn: "1 to 100 characters.",
      type: "PERSONAL or JURISTIC, or empty.",
      extraVerify: "One of the bank's values. Empty for a bank without any.",
      equals: "Baht above 0 with at most two decimals, without a lowest or highest amount.",
      atLeast: "Baht above 0 with at most two decimals, not above the highest amount.",
      atMost: "Baht above 0 with at most two decimals.",
      after: "A date and time in Bangkok, not after the latest transfer.",
      before: "A date and time in Bangkok.",
      withinMinutes: "A whole number from 1 to 527,040.",
      receivers: "registered, or empty.",
      sendingBanks: "1 to 50 codes of banks, such as 004 014.",
      duplicate: "reject or allow, or empty."
    },
    /** For fields without a text of their own, and for a whole form. Only English repeats the schema's message. */
    otherField: (message: string) => message,
    /** For codes without a text of their own, such as a broken read model. */
    otherReason: (message: string) => message
  },
  done: {
    changed: "Saved.",
    banned: "Banned. Its keys are rejected from now on.",
    unbanned: "Ban removed.",
    deleted: "Deleted. Its history is kept.",
    activated: "Activated.",
    deactivated: "Deactivated. Its keys are rejected from now on.",
    linkWithdrawn: "Withdrawn. No device can redeem the link any more.",
    keyRevoked: "Revoked. The key is rejected from now on.",
    accountRegistered: "Registered. Slips of the branch are compared with this account.",
    accountDeactivated: "Deactivated. Its number can be registered again.",
    verified: "Verified.",
    redelivered: "Resending. The result appears here after the attempt.",
    rebuilt: "Rebuilt from the log and in use.",
    operatorRemoved: "Removed. The token, the sessions and the open sign-in links of the operator have stopped.",
    erased: "Erased. The personal data can no longer be opened.",
    sessionEnded: "The session has ended.",
    sessionsEnded: "The sessions have ended."
  },
  danger: {
    title: "Danger zone",
    confirm: "To confirm, type"
  },
  secrets: {
    title: "Save these now",
    lead: "Save these now: they are not shown again. SlipTrail stores only a digest or an encrypted form.",
    apiKey: "API key",
    webhookSecret: "Webhook secret",
    token: "Token of the operator",
    download: "Download as .env file",
    saved: "I have saved them",
    go: "Continue"
  }
}
