import type { Satang } from "../../../../domain/money.ts"
import type { Receiver } from "../../../../domain/slip/transfer.ts"

const months = ["ม.ค.", "ก.พ.", "มี.ค.", "เม.ย.", "พ.ค.", "มิ.ย.", "ก.ค.", "ส.ค.", "ก.ย.", "ต.ค.", "พ.ย.", "ธ.ค."]

/** A slip time (ISO 8601, +07:00) in Thai, with the year of the Buddhist era: `21 พ.ย. 2569 15:45 น.` */
export const thaiTime = (transferredAt: string): string => {
  const [, year, month, day, time] = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}:\d{2})/u.exec(transferredAt) ?? []
  return `${Number(day)} ${months[Number(month) - 1]} ${Number(year) + 543} ${time} น.`
}

/** `1,500.50 บาท` */
export const bahtText = (amount: Satang): string => {
  const whole = Math.trunc(amount / 100).toString().replace(/\B(?=(\d{3})+$)/gu, ",")
  return `${whole}.${String(amount % 100).padStart(2, "0")} บาท`
}

const proxyKinds: Readonly<Record<string, string>> = {
  MSISDN: "พร้อมเพย์ · เบอร์โทรศัพท์",
  NATID: "พร้อมเพย์ · เลขประจำตัวประชาชน",
  EWALLETID: "พร้อมเพย์ · อีวอลเล็ต",
  BILLERID: "รหัสผู้รับชำระ (Biller ID)"
}

/** How a slip speaks of one side of a transfer: who, where, and the masked number. */
export interface PartyWords {
  readonly name: string
  readonly place: string
  readonly number: string
}

export const partyWords = (party: Pick<Receiver, "account" | "bank">): PartyWords => {
  const { bank, name, proxy } = party.account
  return {
    name: name.th ?? name.en ?? "",
    place: proxy === undefined ? party.bank.name : proxyKinds[proxy.type] ?? proxy.type,
    number: bank?.account ?? proxy?.account ?? ""
  }
}
