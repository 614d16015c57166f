import type { Receiver } from "../../../../domain/slip/transfer.ts"
import { slipBank } from "../upstream/slip-data.ts"
import type { ReceiverIndex } from "./sandbox-slip.ts"

/** Masks a number: `0` shows a digit, `x` hides one. */
const mask = (shape: string, digits: string): string => {
  let at = 0
  return shape.replace(/[0xX]/gu, (symbol) => {
    const digit = digits[at++] ?? ""
    return symbol === "0" ? digit : symbol
  })
}

const accountShapes: Readonly<Record<string, string>> = {
  "002": "000-0-xxx000",
  "014": "xxxx-xx000-0"
}

/**
 * Masks the ten digits of an account as its bank does (docs/banks.md, "Masks"). Bangkok Bank shows the first four and
 * the last three, SCB the last four. Kasikornbank shows the sixth to the ninth; the sandbox uses this for other banks.
 */
export const maskAccount = (bankCode: string, digits: string): string =>
  mask(accountShapes[bankCode] ?? "xxx-x-x0000-x", digits)

const proxyShapes = {
  /** Ten digits of a telephone number. */
  MSISDN: "xxx-xxx-0000",
  /** Thirteen digits of a national id. */
  NATID: "0-0000-0000x-xx-x",
  /** Fifteen digits. The real mask is unknown: the mask of a biller is used. */
  EWALLETID: "XXXXXXXXXXX0000",
  /** Fifteen digits. */
  BILLERID: "XXXXXXXXXXX0000"
} as const

type ProxyType = keyof typeof proxyShapes

/** Masks the number of a proxy as the bank does. */
const maskProxy = (type: ProxyType, digits: string): string => mask(proxyShapes[type], digits)

/** The body of `POST /v2/bank-accounts` with which a branch registers this receiver. */
export interface Registration {
  readonly bankCode: string
  /** The full number, digits only. */
  readonly bankNumber: string
  readonly nameTh: string
  readonly nameEn: string
  readonly type: "PERSONAL" | "JURISTIC"
  /** Absent when the bank has no options. */
  readonly extraVerify?: string
}

/** One of the ten receivers of the sandbox bank. */
export interface SandboxReceiver {
  readonly index: ReceiverIndex
  /** Describes the format of the answer, for a person. */
  readonly shape: string
  readonly register: Registration
  /** The receiver as its slips show it. */
  readonly onSlip: Receiver
}

type Names = Receiver["account"]["name"]

const noBank = { id: "", name: "", short: "" }

const atBank = (
  index: ReceiverIndex,
  shape: string,
  names: Names,
  register: Registration,
  bank = slipBank(register.bankCode)
): SandboxReceiver => ({
  index,
  shape,
  register,
  onSlip: {
    bank,
    account: {
      name: names,
      bank: { type: "BANKAC", account: maskAccount(register.bankCode, register.bankNumber) }
    },
    merchantId: null
  }
})

/** Banks rarely state the bank of a proxy: it stays empty. */
const byProxy = (
  index: ReceiverIndex,
  shape: string,
  names: Names,
  type: ProxyType,
  register: Registration
): SandboxReceiver => ({
  index,
  shape,
  register,
  onSlip: {
    bank: noBank,
    account: { name: names, proxy: { type, account: maskProxy(type, register.bankNumber) } },
    merchantId: type === "BILLERID" ? register.bankNumber : null
  }
})

/**
 * The ten receivers, one for each format of real answers. All data is invented: account numbers begin with 999, the
 * telephone number with the unused prefix 070, and the national id with the unused category 9 (its check digit is
 * valid). The family names mean "test" or "example". No registered number matches two masks.
 */
export const receivers: ReadonlyArray<SandboxReceiver> = [
  atBank(0, "bank account, digits 6 to 9 visible (KBANK)", { th: "นาย สมหมาย ท", en: "MR. SOMMAI T" }, {
    bankCode: "004",
    bankNumber: "9990012345",
    nameTh: "นาย สมหมาย ทดสอบ",
    nameEn: "MR. SOMMAI THOTSOP",
    type: "PERSONAL"
  }),
  atBank(1, "bank account, last 4 visible (SCB)", { th: "นาง ตัวอย่าง จ", en: "MRS. TUAYANG J" }, {
    bankCode: "014",
    bankNumber: "9990025678",
    nameTh: "นาง ตัวอย่าง จำลอง",
    nameEn: "MRS. TUAYANG JAMLONG",
    type: "PERSONAL"
  }),
  atBank(2, "bank account, first 4 and last 3 visible (BBL)", {
    th: "บริษัท ร้านค้าทดสอบ จำกัด",
    en: "TEST STORE CO., LTD."
  }, {
    bankCode: "002",
    bankNumber: "9990036789",
    nameTh: "บริษัท ร้านค้าทดสอบ จำกัด",
    nameEn: "TEST STORE CO., LTD.",
    type: "JURISTIC",
    extraVerify: "NAME_NUMBER"
  }),
  byProxy(3, "PromptPay by phone (MSISDN)", { th: "น.ส. สุขใจ ต", en: "MISS SUKJAI T" }, "MSISDN", {
    bankCode: "PROMPTPAY",
    bankNumber: "0700002468",
    nameTh: "น.ส. สุขใจ ตัวอย่าง",
    nameEn: "MISS SUKJAI TUAYANG",
    type: "PERSONAL",
    extraVerify: "MSISDN"
  }),
  byProxy(4, "PromptPay by national id (NATID)", { th: "นาย ทดลอง จ", en: "MR. THOTLONG J" }, "NATID", {
    bankCode: "PROMPTPAY",
    bankNumber: "9000012345672",
    nameTh: "นาย ทดลอง จำลอง",
    nameEn: "MR. THOTLONG JAMLONG",
    type: "PERSONAL",
    extraVerify: "NATID"
  }),
  byProxy(5, "PromptPay by e-wallet (EWALLETID)", { th: "นาย กระเป๋า ท", en: "MR. KRAPAO T" }, "EWALLETID", {
    bankCode: "PROMPTPAY",
    bankNumber: "999000000051357",
    nameTh: "นาย กระเป๋า ทดสอบ",
    nameEn: "MR. KRAPAO THOTSOP",
    type: "PERSONAL",
    extraVerify: "EWALLETID"
  }),
  byProxy(6, "biller with merchantId (BILLERID)", { th: "ร้านก๋วยเตี๋ยวทดสอบ", en: "TEST NOODLE SHOP" }, "BILLERID", {
    bankCode: "KSHOP",
    bankNumber: "999000000069753",
    nameTh: "ร้านก๋วยเตี๋ยวทดสอบ",
    nameEn: "TEST NOODLE SHOP",
    type: "JURISTIC"
  }),
  atBank(7, "only an English name", { en: "SANDBOX TRADING CO., LTD." }, {
    bankCode: "006",
    bankNumber: "9990078642",
    nameTh: "บริษัท แซนด์บ็อกซ์ เทรดดิ้ง จำกัด",
    nameEn: "SANDBOX TRADING CO., LTD.",
    type: "JURISTIC"
  }),
  atBank(8, "an honorific without a space", { th: "น.ส.น้ำใจ ตัวอย่าง", en: "MS.NAMJAI TUAYANG" }, {
    bankCode: "025",
    bankNumber: "9990083159",
    nameTh: "นางสาว น้ำใจ ตัวอย่าง",
    nameEn: "MS. NAMJAI TUAYANG",
    type: "PERSONAL"
  }),
  atBank(9, "an empty receiver bank", { th: "นาง ปลายทาง ท", en: "MRS. PLAITHANG T" }, {
    bankCode: "011",
    bankNumber: "9990094826",
    nameTh: "นาง ปลายทาง ทดสอบ",
    nameEn: "MRS. PLAITHANG THOTSOP",
    type: "PERSONAL"
  }, noBank)
]

/** The receiver with this index. */
export const receiverAt = (index: ReceiverIndex): SandboxReceiver => {
  const receiver = receivers[index]
  if (receiver === undefined) throw new RangeError(`there is no receiver ${index}`)
  return receiver
}

/**
 * The receiver of every TrueMoney slip: the person of receiver 3, whose phone number is registered as
 * `PROMPTPAY`, `MSISDN`. TrueMoney shows the first three and the last four digits.
 */
export const WALLET_RECEIVER = { index: 3, name: "สุขใจ ต***", phone: "070-***-2468" } as const
