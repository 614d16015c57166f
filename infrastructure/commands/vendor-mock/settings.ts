import { credentials } from "./credentials.ts"

/** The settings with which the service asks these vendors. `origin` has no trailing slash. */
export const settingsFor = (origin: string) => ({
  EASYSLIP_BASE_URL: `${origin}/easyslip/v2`,
  THUNDER_BASE_URL: `${origin}/thunder/v2`,
  SLIPOK_BASE_URL: `${origin}/slipok/api/line/apikey`,
  SLIP2GO_BASE_URL: `${origin}/slip2go/api`,
  RDCW_BASE_URL: `${origin}/rdcw/v2`,
  ...credentials
})
