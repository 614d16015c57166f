import { Result, Schema } from "effect"

/** A way to compare an account of a bank with a slip (docs/spec/http.md, "GET /v2/banks"). */
export interface ExtraVerify {
  readonly value: string
  readonly label: string
}

/** An entry of the bank list (docs/spec/http.md, "GET /v2/banks"). */
export interface Bank {
  /** Three digits of the Bank of Thailand, or PROMPTPAY or KSHOP. */
  readonly code: string
  readonly nameTh: string
  readonly nameEn: string
  readonly shortCode: string
  /** The values that `extraVerify` may take; null where the bank has none. */
  readonly extraVerify: ReadonlyArray<ExtraVerify> | null
}

const table: ReadonlyArray<readonly [code: string, shortCode: string, nameTh: string, nameEn: string]> = [
  ["002", "BBL", "ธนาคารกรุงเทพ", "Bangkok Bank"],
  ["004", "KBANK", "ธนาคารกสิกรไทย", "Kasikornbank"],
  ["006", "KTB", "ธนาคารกรุงไทย", "Krungthai Bank"],
  ["008", "JPMC", "ธนาคารเจพีมอร์แกน เชส", "JPMorgan Chase Bank"],
  ["011", "TTB", "ธนาคารทหารไทยธนชาต", "TMBThanachart Bank"],
  ["014", "SCB", "ธนาคารไทยพาณิชย์", "Siam Commercial Bank"],
  ["017", "CITI", "ธนาคารซิตี้แบงก์", "Citibank"],
  ["018", "SMBC", "ธนาคารซูมิโตโม มิตซุย แบงกิ้ง คอร์ปอเรชั่น", "Sumitomo Mitsui Banking Corporation"],
  ["020", "SCBT", "ธนาคารสแตนดาร์ดชาร์เตอร์ด (ไทย)", "Standard Chartered Bank (Thai)"],
  ["022", "CIMBT", "ธนาคารซีไอเอ็มบี ไทย", "CIMB Thai Bank"],
  ["024", "UOBT", "ธนาคารยูโอบี", "United Overseas Bank (Thai)"],
  ["025", "BAY", "ธนาคารกรุงศรีอยุธยา", "Bank of Ayudhya (Krungsri)"],
  ["026", "MEGA", "ธนาคารเมกะ สากลพาณิชย์", "Mega International Commercial Bank"],
  ["027", "BOFA", "ธนาคารแห่งอเมริกา เนชั่นแนล แอสโซซิเอชั่น", "Bank of America"],
  ["029", "IOBA", "ธนาคารอินเดียนโอเวอร์ซีส์", "Indian Overseas Bank"],
  ["030", "GSB", "ธนาคารออมสิน", "Government Savings Bank"],
  ["031", "HSBC", "ธนาคารฮ่องกงและเซี่ยงไฮ้แบงกิ้งคอร์ปอเรชั่น", "Hongkong and Shanghai Banking Corporation"],
  ["032", "DB", "ธนาคารดอยซ์แบงก์", "Deutsche Bank"],
  ["033", "GHB", "ธนาคารอาคารสงเคราะห์", "Government Housing Bank"],
  ["034", "BAAC", "ธนาคารเพื่อการเกษตรและสหกรณ์การเกษตร", "Bank for Agriculture and Agricultural Cooperatives"],
  ["035", "EXIM", "ธนาคารเพื่อการส่งออกและนำเข้าแห่งประเทศไทย", "Export-Import Bank of Thailand"],
  ["039", "MHCB", "ธนาคารมิซูโฮ", "Mizuho Bank"],
  ["045", "BNPP", "ธนาคารบีเอ็นพี พารีบาส์", "BNP Paribas"],
  ["052", "BOC", "ธนาคารแห่งประเทศจีน (ไทย)", "Bank of China (Thai)"],
  ["065", "TBANK", "ธนาคารธนชาต", "Thanachart Bank"],
  ["066", "ISBT", "ธนาคารอิสลามแห่งประเทศไทย", "Islamic Bank of Thailand"],
  ["067", "TISCO", "ธนาคารทิสโก้", "TISCO Bank"],
  ["069", "KKP", "ธนาคารเกียรตินาคินภัทร", "Kiatnakin Phatra Bank"],
  ["070", "ICBCT", "ธนาคารไอซีบีซี (ไทย)", "Industrial and Commercial Bank of China (Thai)"],
  ["071", "TCD", "ธนาคารไทยเครดิต", "Thai Credit Bank"],
  ["073", "LHFG", "ธนาคารแลนด์ แอนด์ เฮ้าส์", "Land and Houses Bank"],
  ["088", "CLICX", "ธนาคารคลิกซ์", "CLICX Bank"],
  [
    "098",
    "SME",
    "ธนาคารพัฒนาวิสาหกิจขนาดกลางและขนาดย่อมแห่งประเทศไทย",
    "Small and Medium Enterprise Development Bank of Thailand"
  ]
]

const extraVerifyOf: Readonly<Record<string, ReadonlyArray<ExtraVerify>>> = {
  "002": [
    { value: "NAME", label: "Account name" },
    { value: "NUMBER", label: "Account number" },
    { value: "NAME_NUMBER", label: "Account name and number" }
  ]
}

/** Every bank that can send a slip or hold a receiving account, by code. */
export const banks: ReadonlyArray<Bank> = [
  ...table.map(([code, shortCode, nameTh, nameEn]): Bank => ({
    code,
    nameTh,
    nameEn,
    shortCode,
    extraVerify: extraVerifyOf[code] ?? null
  })),
  {
    code: "PROMPTPAY",
    nameTh: "พร้อมเพย์",
    nameEn: "PromptPay",
    shortCode: "PROMPTPAY",
    extraVerify: [
      { value: "MSISDN", label: "Phone number" },
      { value: "NATID", label: "National ID" },
      { value: "EWALLETID", label: "e-Wallet ID" }
    ]
  },
  { code: "KSHOP", nameTh: "เค ช็อป", nameEn: "K SHOP", shortCode: "KSHOP", extraVerify: null }
]

const byCode = new Map(banks.map((bank) => [bank.code, bank]))

/** The bank with this code. Codes are case-sensitive. */
export const findBank = (code: string): Bank | undefined => byCode.get(code)

/** Whether a slip can have this sending bank. PROMPTPAY and KSHOP only receive. */
export const isSendingBank = (code: string): boolean => /^\d{3}$/u.test(code) && byCode.has(code)

/** The bank code is unknown, or `extraVerify` is not valid for the bank (docs/spec/http.md, "v2 codes"). */
export class BankRefused extends Schema.TaggedError<BankRefused>()("BankRefused", {
  reason: Schema.Literals(["unknown-bank", "extra-verify-required", "extra-verify-invalid"])
}) {}

/**
 * Returns the bank with this code. A bank that lists values for `extraVerify` requires one of them. Every other bank
 * requires that it is absent.
 */
export const resolveBank = (
  bankCode: string,
  extraVerify: string | null | undefined
): Result.Result<Bank, BankRefused> => {
  const bank = findBank(bankCode)
  if (bank === undefined) return Result.fail(new BankRefused({ reason: "unknown-bank" }))
  const values = bank.extraVerify
  if (extraVerify === undefined || extraVerify === null) {
    return values === null ? Result.succeed(bank) : Result.fail(new BankRefused({ reason: "extra-verify-required" }))
  }
  const isKnown = values?.some(({ value }) => value === extraVerify) ?? false
  return isKnown ? Result.succeed(bank) : Result.fail(new BankRefused({ reason: "extra-verify-invalid" }))
}
