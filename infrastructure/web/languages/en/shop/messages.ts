import { enHistory, enHistoryFields, enVerification } from "./history.ts"
import { enSettings, enSettingsFields } from "./settings.ts"

/** All texts of the shop's page in English. Every other language has the same keys. */
export const enShop = {
  skip: "Skip to content",
  sandbox: "Sandbox: slips here are not real. Do not give out goods.",
  menu: { label: "Pages", check: "Check", history: "History", settings: "Settings" },
  history: enHistory,
  verification: enVerification,
  settings: enSettings,
  signIn: {
    title: "Sign in",
    key: "API key of the branch",
    hint: "36 letters, digits and hyphens. The operator of the service, or the owner of the shop, has it.",
    linkHint: "You have a sign-in link or its QR code? Open it instead.",
    button: "Sign in",
    signOut: "Sign out"
  },
  link: {
    title: "Sign in this device",
    text: "The link works once. After that, this device checks slips until it signs out or the shop removes it.",
    button: "Sign in this device",
    refused: {
      unknown: "This link is not valid. Ask the owner of the shop for a new one.",
      used: "This link was used already. Ask the owner of the shop for a new one for this device.",
      expired: "This link has expired. Ask the owner of the shop for a new one.",
      withdrawn: "This link was withdrawn. Ask the owner of the shop for a new one.",
      "maker-ended": "This link no longer works: what it allows was withdrawn, or the branch has too many keys. "
        + "Ask the owner of the shop for a new one."
    }
  },
  errors: {
    notFound: "Page not found",
    notFoundHint: "The address is wrong, or it belongs to another branch.",
    rejected: "Not possible",
    unavailable: "Currently unavailable",
    expired: "This form has expired. Go back to the start and try again.",
    otherSite: "This form came from another site, or your browser hides its origin. Open this page directly.",
    requestId: "Request id",
    home: "Back to the start",
    scopeMissing: {
      verify: "This device may not check slips. Ask the owner of the shop for a key that may verify.",
      read: "This device may not see earlier slips. Ask the owner of the shop for a key that may read.",
      configure: "This device may not change settings. Ask the owner of the shop for a key that may configure."
    }
  },
  refusals: {
    byCode: {
      INVALID_API_KEY: "The key is wrong, has expired, or was revoked. Check it, or ask the owner of the shop.",
      BRANCH_INACTIVE: "This branch is switched off. Ask the operator of the service.",
      SERVICE_BANNED: "This service is blocked. Ask the operator of the service.",
      SERVICE_DELETED: "This service was deleted. Ask the operator of the service.",
      SERVICE_INACTIVE: "This service is switched off or has expired. Ask the operator of the service.",
      USER_BANNED: "The account of this shop is blocked. Ask the operator of the service.",
      IP_NOT_ALLOWED: "This key does not work from your network. Use the shop's network, or ask the owner of the shop.",
      RATE_LIMIT_EXCEEDED: "Too many requests. Wait a moment, then try again.",
      QUOTA_EXCEEDED: "The checks of this month are used up. Ask the owner of the shop for a higher quota.",
      VALIDATION_ERROR: "Some input is not valid.",
      NOT_FOUND: "Nothing has this address.",
      JOB_NOT_FOUND: "This check does not exist, or it is older than seven days.",
      VERIFICATION_NOT_FOUND: "This slip was not checked by this branch.",
      IMAGE_SIZE_TOO_LARGE: "The picture is larger than 4 MB. Send a screenshot, or a smaller photo.",
      API_SERVER_ERROR: "The service, or the bank, cannot answer now. Try again in a moment.",
      INTERNAL_SERVER_ERROR: "An unexpected error occurred. Try again, then give the request id to the operator."
    },
    fields: {
      ...enHistoryFields,
      ...enSettingsFields,
      amount: "An amount in baht, such as 250 or 1,250.50.",
      slip: "Choose a picture of the slip, or paste the text of its QR code.",
      slips: "Check one slip at a time."
    },
    /** For codes and fields without a text of their own. Only English repeats the message of the API. */
    other: (message: string) => message
  },
  check: {
    title: "Check a slip",
    amount: "Amount to pay (may be empty)",
    amountExample: "250.00",
    keep: "Keep this amount for the next slip",
    scan: "Scan the QR code",
    photo: "Take a photo",
    picture: "Choose a picture",
    drop: "Or drop a picture here, or paste one.",
    paste: "Paste the text of the QR code",
    payload: "Text of the QR code",
    button: "Check",
    checking: "Checking the slip…",
    looking: "Hold the QR code of the slip in front of the camera.",
    notASlipQr: "This QR code is not that of a slip. Look for the small QR code on the slip itself.",
    noCamera: "The camera cannot be used. Allow it in the browser, or choose a picture.",
    shoot: "Use this picture",
    cancel: "Close"
  },
  offline: {
    title: "No connection",
    text:
      "This device cannot reach the service. Check the network. A slip that you just sent may not have been checked.",
    again: "Try again"
  },
  pending: {
    title: "Not confirmed yet",
    text: "The bank does not confirm the transfer yet. The service asks again by itself.",
    countdown: "Next attempt in {} seconds",
    now: "Asking the bank…",
    seconds: (seconds: number) => seconds === 0 ? "Asking the bank…" : `Next attempt in ${seconds} seconds`,
    todo: [
      "Do not give out the goods yet.",
      "Leave this page open, or check the next slip and come back later.",
      "In a hurry? Look for the money in the banking app of the shop."
    ],
    again: "Look again now"
  },
  verdict: {
    todo: "What to do",
    next: "Next slip",
    sendAgain: "Check the picture again",
    details: "Details of the slip",
    also: "Also:",
    retryAfter: (seconds: number) => `Try again in ${seconds} seconds.`,
    expected: "Amount to pay",
    missing: "Missing",
    tooMuch: "Too much",
    firstChecked: "First checked",
    checkedAt: "Where",
    thisBranch: "This branch",
    otherBranch: "Another branch of the shop",
    times: "Checks so far",
    from: "From",
    to: "To",
    transferredAt: "Transferred",
    reference: "Reference",
    record: "Record",
    open: "Open"
  },
  verdicts: {
    accepted: {
      title: "Accepted",
      text: "The bank confirms the transfer, and the slip was not used before.",
      todo: ["Compare the amount with the bill.", "Give the goods to the customer."]
    },
    duplicate: {
      title: "Already used",
      text: "This slip was checked before. It may have paid for another order.",
      todo: [
        "Do not give out the goods for this slip again.",
        "Was it the same order, checked twice? Then the first check counts.",
        "Ask the customer for the slip of this order."
      ]
    },
    wrongAccount: {
      title: "Wrong account",
      text: "The money went to an account that is not the shop's.",
      todo: [
        "Do not give out the goods.",
        "Show the customer the receiver below, and ask for a transfer to the shop.",
        "Is it an account of the shop? Then its owner registers it first."
      ]
    },
    wrongAmount: {
      title: "Wrong amount",
      text: "The transfer is real, but its amount is not the amount to pay.",
      todo: [
        "Too little: ask the customer for the difference.",
        "Too much: check the bill, or return the difference.",
        "Did you type the amount wrongly? Check the slip again with the right one."
      ]
    },
    tooEarly: {
      title: "Transfer too old",
      text: "The transfer was made earlier than the shop accepts.",
      todo: ["It may have paid for another order. Ask the customer for a newer slip."]
    },
    tooLate: {
      title: "Transfer too late",
      text: "The transfer was made later than the shop accepts.",
      todo: ["Ask the owner of the shop whether to accept it."]
    },
    wrongBank: {
      title: "Bank not accepted",
      text: "The money came from a bank that the shop does not accept.",
      todo: ["Ask the customer to pay from another bank, or ask the owner of the shop."]
    },
    unclear: {
      title: "Receiver not certain",
      text: "The transfer is real, but the slip shows too little of the receiver's account.",
      todo: ["Look for the money in the banking app of the shop before you give out the goods."]
    },
    notFound: {
      title: "Not found",
      text: "The bank knows no such transfer. The slip may be forged.",
      todo: [
        "Do not give out the goods.",
        "Made just now? Wait a minute, then check it again.",
        "Ask the customer to open the transfer in the banking app, and scan the QR code there."
      ]
    },
    tooOld: {
      title: "Too old to check",
      text: "The transfer is older than the records of the bank.",
      todo: ["Look for the money in the statement of the shop.", "Ask the customer for the slip of a recent transfer."]
    },
    notASlip: {
      title: "Not a slip",
      text: "The QR code is not that of a bank's slip.",
      todo: [
        "Ask the customer for the slip of the transfer, not the QR code to pay with.",
        "On the slip, use the small QR code, usually at the bottom right."
      ]
    },
    severalSlips: {
      title: "More than one slip",
      text: "The picture shows more than one slip. None of them was checked.",
      todo: ["Check each slip with a picture of its own.", "Cut the picture so that it shows one QR code."]
    },
    unreadable: {
      title: "QR code not readable",
      text: "No QR code was found in the picture.",
      todo: [
        "Best: ask the customer for a screenshot of the slip, or to save it in the banking app.",
        "Photo: raise the brightness of the screen, hold still, and let the whole QR code fill the picture.",
        "Avoid reflections and shadows on the QR code."
      ]
    },
    notAPicture: {
      title: "Not a picture",
      text: "The file is not a picture that can be read.",
      todo: ["Send a photo or a screenshot of the slip: JPEG, PNG, WebP or GIF."]
    },
    tooLarge: {
      title: "Picture too large",
      text: "The picture is larger than 4 MB.",
      todo: ["Send a screenshot of the slip, or a smaller photo."]
    },
    walletPicture: {
      title: "TrueMoney slip",
      text: "This is a slip of TrueMoney. Its QR code alone is not enough.",
      todo: ["Take a photo of the whole slip, or choose its picture."]
    },
    walletPending: {
      title: "Not confirmed yet",
      text:
        "TrueMoney cannot confirm the transfer yet. Pictures are not stored, so the service cannot ask again by itself.",
      todo: [
        "Do not give out the goods yet.",
        "Wait a moment, then check the same picture again. Nothing was charged.",
        "In a hurry? Look for the money in the TrueMoney app of the shop."
      ]
    },
    walletsOff: {
      title: "TrueMoney not available",
      text: "This service cannot check slips of TrueMoney.",
      todo: ["Look for the money in the TrueMoney app of the shop."]
    },
    quota: {
      title: "Checks used up",
      text: "The shop has used up its checks of this month.",
      todo: ["Tell the owner of the shop.", "Until then, look for the money in the banking app of the shop."]
    },
    tooMany: {
      title: "Too many attempts",
      text: "This branch made too many checks without a result today.",
      todo: ["The first result of a slip still holds.", "Tell the owner of the shop."]
    },
    away: {
      title: "Cannot check now",
      text: "The bank or the service does not answer. Nothing was charged.",
      todo: ["Try again in a moment.", "In a hurry? Look for the money in the banking app of the shop."]
    },
    gaveUp: {
      title: "Not confirmed",
      text: "The bank did not confirm the transfer in time.",
      todo: [
        "Check the slip again.",
        "Look for the money in the banking app of the shop before you give out the goods."
      ]
    }
  }
}

export type ShopTexts = typeof enShop
