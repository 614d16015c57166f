import { Config, Schema } from "effect"
import { Delay, Flag, integer, List, optional, secret, setting, type SettingInfo } from "./setting.ts"

interface Vendor {
  /** The beginning of the names of its settings. */
  readonly prefix: string
  readonly title: string
  readonly baseUrl: string
  /** A sentence about other base URLs. */
  readonly otherBaseUrls?: string
}

/** How many questions a gateway gets at a time, and about which slips. */
export const limitSettings = ({ prefix, title }: Pick<Vendor, "prefix" | "title">) => ({
  concurrency: setting(
    `${prefix}_CONCURRENCY`,
    "20",
    `Largest number of simultaneous questions to ${title} in each process, at most half of them of one branch. Further questions wait within their time limit.`,
    integer(1, 1_000)
  ),
  sendingBanks: setting(
    `${prefix}_SENDING_BANKS`,
    "",
    `Codes of the sending banks whose slips ${title} is asked about, such as \`004,014\`. Empty means all banks.`,
    List
  )
})

/** The settings that every vendor has. */
const commonSettings = ({ baseUrl, otherBaseUrls, prefix, title }: Vendor) => ({
  baseUrl: setting(
    `${prefix}_BASE_URL`,
    baseUrl,
    [`Base URL of ${title}'s API.`, ...otherBaseUrls === undefined ? [] : [otherBaseUrls]].join(" "),
    Schema.String
  ),
  timeout: setting(
    `${prefix}_TIMEOUT`,
    "5 seconds",
    `Time limit for asking ${title} about one slip. All gateways together have 9 seconds.`,
    Delay
  ),
  ...limitSettings({ prefix, title }),
  price: optional(
    `${prefix}_PRICE`,
    `Price of one question to ${title} in baht, such as \`0.40\`: for the metrics of spending, and for \`BANK_GATEWAY_ORDER=price\`.`,
    Schema.FiniteFromString.check(Schema.isBetween({ minimum: 0, maximum: 1_000 }))
  )
})

/** The settings of one vendor, which are read together. */
const group = <const S extends Readonly<Record<string, Config.Config<unknown> & SettingInfo>>>(settings: S) =>
  Object.assign(Config.all(settings), { settings })

/** The settings of each vendor's gateway, by the name of the gateway. */
export const vendorSettings = {
  easyslip: group({
    apiKey: secret("EASYSLIP_API_KEY", "API key of a branch at EasySlip. The gateway `easyslip` needs it."),
    ...commonSettings({
      prefix: "EASYSLIP",
      title: "EasySlip",
      baseUrl: "https://api.easyslip.com/v2",
      otherBaseUrls: "For keys of version 1: `https://developer.easyslip.com/api/v1`."
    })
  }),
  thunder: group({
    apiKey: secret("THUNDER_API_KEY", "API key of a branch at Thunder. The gateway `thunder` needs it."),
    ...commonSettings({ prefix: "THUNDER", title: "Thunder", baseUrl: "https://api.thunder.in.th/v2" })
  }),
  slipok: group({
    branchId: optional(
      "SLIPOK_BRANCH_ID",
      "Id of the branch at SlipOK, a number. The gateway `slipok` needs it.",
      Schema.String
    ),
    apiKey: secret("SLIPOK_API_KEY", "API key of the same branch. The gateway `slipok` needs it."),
    overQuota: setting(
      "SLIPOK_OVER_QUOTA",
      "false",
      "`true` continues when the package is used up. SlipOK then bills each slip.",
      Flag
    ),
    ...commonSettings({ prefix: "SLIPOK", title: "SlipOK", baseUrl: "https://api.slipok.com/api/line/apikey" })
  }),
  slip2go: group({
    apiSecret: secret("SLIP2GO_API_SECRET", "API secret of the shop at Slip2Go. The gateway `slip2go` needs it."),
    ...commonSettings({
      prefix: "SLIP2GO",
      title: "Slip2Go",
      baseUrl: "https://connect.slip2go.com/api",
      otherBaseUrls: "Slip2Go's dashboard shows yours."
    })
  }),
  rdcw: group({
    clientId: secret("RDCW_CLIENT_ID", "Client id at RDCW Slip Verify. The gateway `rdcw` needs it."),
    clientSecret: secret("RDCW_CLIENT_SECRET", "Client secret of the same client. The gateway `rdcw` needs it."),
    ...commonSettings({
      prefix: "RDCW",
      title: "RDCW",
      baseUrl: "https://suba.rdcw.co.th/v2",
      otherBaseUrls: "For version 1: `https://suba.rdcw.co.th/v1`."
    })
  })
} as const

/** The same settings without the groups, for docs/settings.md. */
export const vendorSettingList: ReadonlyArray<Config.Config<unknown> & SettingInfo> = Object.values(vendorSettings)
  .flatMap(({ settings }) => Object.values(settings))
