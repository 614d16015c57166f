import type { QrModules } from "../../../platform/qr-code.ts"
import type { Satang } from "../../../../domain/money.ts"
import type { Receiver, Transfer } from "../../../../domain/slip/transfer.ts"
import { transactionIdOf, TRUEMONEY } from "../../../../domain/slip/wallet-payload.ts"
import { box, disc, type DrawText, stroke } from "./svg-text.ts"

export const WIDTH = 1080
export const HEIGHT = 1500

const INK = "#1f2937"
const SOFT = "#6b7280"
const LINE = "#e5e7eb"
const WARNING = "#b45309"
const LEFT = 104
const RIGHT = 976

const DEFINITIONS = [
  "<defs>",
  `<linearGradient id="light" x1="0" y1="0" x2="1" y2="1">`,
  `<stop offset="0" stop-color="#fff" stop-opacity="0.14"/><stop offset="1" stop-color="#000" stop-opacity="0.22"/>`,
  "</linearGradient>",
  `<filter id="soft" x="-10%" y="-10%" width="120%" height="120%"><feGaussianBlur stdDeviation="16"/></filter>`,
  "</defs>"
].join("")

/** Draws a transfer as the slip of a banking app: an SVG document of `WIDTH` by `HEIGHT`. */
export const slipSvg = (transfer: Transfer, qr: QrModules, text: DrawText): string => {
  const colour = bankColour(transfer.sendingBank)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}">`,
    DEFINITIONS,
    box(0, 0, WIDTH, HEIGHT, 0, `fill="#eef1f5"`),
    box(0, 0, WIDTH, 560, 0, `fill="${colour}"`),
    disc(980, 60, 260, `fill="#ffffff" fill-opacity="0.06"`),
    disc(70, 430, 210, `fill="#ffffff" fill-opacity="0.06"`),
    box(0, 0, WIDTH, 560, 0, `fill="url(#light)"`),
    header(transfer, colour, text),
    box(60, 420, 956, 1044, 40, `fill="#0f172a" fill-opacity="0.2" filter="url(#soft)"`),
    box(48, 400, 984, 1056, 40, `fill="#ffffff"`),
    party("จาก", transfer.sender, 0, text),
    stroke("M152 622V668M138 656L152 670L166 656", `stroke="#9ca3af" stroke-width="5"`),
    party("ไปยัง", transfer.receiver, 224, text),
    details(transfer, text),
    footer(transfer, qr, text),
    "</svg>"
  ].join("")
}

const header = (transfer: Transfer, colour: string, text: DrawText): string => {
  const { name, short } = transfer.sender.bank
  return [
    text(name, 64, 92, { size: 38, fill: "#ffffff", weight: "medium", maxWidth: 640 }),
    text(short, 64, 134, { size: 26, fill: "#ffffff" }),
    box(800, 52, 216, 60, 30, `fill="#ffffff"`),
    text("SANDBOX", 908, 94, { size: 32, fill: WARNING, weight: "bold", anchor: "middle" }),
    disc(540, 196, 50, `fill="#ffffff"`),
    stroke("M516 197L534 215L566 180", `stroke="${colour}" stroke-width="10"`),
    text("โอนเงินสำเร็จ", 540, 314, { size: 58, fill: "#ffffff", weight: "bold", anchor: "middle" }),
    text(thaiTime(transfer.transferredAt), 540, 366, { size: 32, fill: "#ffffff", anchor: "middle" })
  ].join("")
}

const party = (label: string, side: Transfer["sender"], down: number, text: DrawText): string => {
  const { name, number, place } = partyText(side)
  const lines = [place, number].filter((line) => line !== "")
  return [
    badge(side, 152, 544 + down, text),
    text(label, 232, 478 + down, { size: 28, fill: SOFT }),
    text(name, 232, 530 + down, { size: 40, fill: INK, weight: "medium", maxWidth: 744 }),
    ...lines.map((line, index) => text(line, 232, 576 + down + index * 42, { size: 30, fill: SOFT, maxWidth: 744 }))
  ].join("")
}

/** The short name of the bank on its colour; the outline of a person when the slip names no bank. */
const badge = ({ account, bank }: Transfer["sender"], x: number, y: number, text: DrawText): string => {
  const promptPay = bank.id !== TRUEMONEY && account.proxy !== undefined && account.proxy.type !== "BILLERID"
  const label = promptPay ? "PP" : account.proxy?.type === "BILLERID" ? "BILL" : bank.short
  if (label === "") {
    return disc(x, y, 48, `fill="#94a3b8"`) + disc(x, y - 14, 14, `fill="#ffffff"`)
      + `<path d="M${x - 26} ${y + 26}a26 22 0 0 1 52 0z" fill="#ffffff"/>`
  }
  return disc(x, y, 48, `fill="${promptPay ? PROMPTPAY_COLOUR : bankColour(bank.id)}"`)
    + text(label, x, y + 9, { size: 26, fill: "#ffffff", weight: "bold", anchor: "middle", maxWidth: 70 })
}

const details = (transfer: Transfer, text: DrawText): string => {
  const label = { size: 32, fill: SOFT }
  const value = { size: 32, fill: INK, anchor: "end" as const, maxWidth: 620 }
  return [
    stroke(`M${LEFT} 880H${RIGHT}`, `stroke="${LINE}" stroke-width="3"`),
    text("จำนวนเงิน", LEFT, 952, label),
    text(bahtText(transfer.amount), RIGHT, 956, { ...value, size: 52, weight: "bold" }),
    text("ค่าธรรมเนียม", LEFT, 1014, label),
    text(bahtText(transfer.fee), RIGHT, 1014, value),
    text("เลขที่รายการ", LEFT, 1070, label),
    text(referenceOf(transfer), RIGHT, 1070, { ...value, size: 30 }),
    stroke(`M${LEFT} 1102H${RIGHT}`, `stroke="${LINE}" stroke-width="3"`)
  ].join("")
}

const referenceOf = ({ sendingBank, transRef }: Transfer): string =>
  sendingBank === TRUEMONEY ? transactionIdOf(transRef) : transRef

const footer = (transfer: Transfer, qr: QrModules, text: DrawText): string => {
  const bill = [
    ["รหัสร้านค้า", transfer.receiver.merchantId ?? ""],
    ["อ้างอิง 1", transfer.ref1],
    ["อ้างอิง 2", transfer.ref2]
  ].filter(([, value]) => value !== "")
  return [
    ...bill.map(([label = "", value = ""], index) =>
      text(`${label}  ${value}`, LEFT, 1168 + index * 42, { size: 28, fill: SOFT })
    ),
    box(LEFT, 1314, 232, 64, 12, `fill="#fffbeb" stroke="${WARNING}" stroke-width="3"`),
    text("SANDBOX", LEFT + 116, 1358, { size: 34, fill: WARNING, weight: "bold", anchor: "middle" }),
    text("สลิปทดสอบ ไม่ใช่รายการโอนเงินจริง", LEFT, 1424, { size: 28, fill: WARNING }),
    qrCode(qr, RIGHT, 1140, text)
  ].join("")
}

const MODULE = 8
const QUIET = 4

/** Modules of whole pixels keep the edges sharp. The quiet zone around the code is four modules. */
const qrCode = (qr: QrModules, right: number, top: number, text: DrawText): string => {
  const size = qr.length * MODULE
  const left = right - size
  const dark = qr.flatMap((row, down) =>
    row.flatMap((isDark, across) => isDark ? [`M${left + across * MODULE} ${top + down * MODULE}`] : [])
  )
  const path = dark.map((start) => `${start}h${MODULE}v${MODULE}h-${MODULE}z`).join("")
  const caption = { size: 26, fill: INK, weight: "medium", anchor: "middle" } as const
  return `<path fill="#000000" shape-rendering="crispEdges" d="${path}"/>`
    + text("สแกนตรวจสอบสลิป", left + size / 2, top + size + QUIET * MODULE + 26, caption)
}

const months = ["ม.ค.", "ก.พ.", "มี.ค.", "เม.ย.", "พ.ค.", "มิ.ย.", "ก.ค.", "ส.ค.", "ก.ย.", "ต.ค.", "พ.ย.", "ธ.ค."]

/** A slip time (ISO 8601, +07:00) in Thai, in the Buddhist era: `21 พ.ย. 2569 15:45 น.` */
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

/** The sender or the receiver on a slip: name, bank or proxy type, and masked number. */
export interface PartyText {
  readonly name: string
  readonly place: string
  readonly number: string
}

export const partyText = (party: Pick<Receiver, "account" | "bank">): PartyText => {
  const { bank, name, proxy } = party.account
  return {
    name: name.th ?? name.en ?? "",
    place: proxy === undefined || party.bank.id === TRUEMONEY ? party.bank.name : proxyKinds[proxy.type] ?? proxy.type,
    number: bank?.account ?? proxy?.account ?? ""
  }
}

const colours: Readonly<Record<string, string>> = {
  "002": "#1e3a8a",
  "004": "#0f9d58",
  "006": "#0ea5e0",
  "011": "#1279be",
  "014": "#4e2e7f",
  "020": "#0473ae",
  "022": "#7e1f2e",
  "024": "#0b3979",
  "025": "#b58900",
  "030": "#d6336c",
  "031": "#b3131b",
  "033": "#e06b0b",
  "034": "#3f7d2c",
  "066": "#16613b",
  "067": "#12549f",
  "069": "#6a5a8c",
  "071": "#d9541e",
  "073": "#5c6670",
  "098": "#a0641e",
  [TRUEMONEY]: "#c2410c"
}

const OTHER_COLOUR = "#475569"

/** The colour of a bank, dark enough for white text. */
const bankColour = (code: string): string => colours[code] ?? OTHER_COLOUR

/** PromptPay's dark blue. */
const PROMPTPAY_COLOUR = "#113566"
