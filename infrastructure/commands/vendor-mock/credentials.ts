/** The credentials that the test server accepts, by setting. They open nothing else. */
export const credentials = {
  EASYSLIP_API_KEY: "0ea57511-0000-4000-8000-000000000001",
  THUNDER_API_KEY: "00074004-0000-4000-8000-000000000002",
  SLIPOK_BRANCH_ID: "10001",
  SLIPOK_API_KEY: "SLIPOKTESTKEY3",
  SLIP2GO_API_SECRET: "slip2go-test-secret-4",
  RDCW_CLIENT_ID: "rdcw-test-client",
  RDCW_CLIENT_SECRET: "rdcw-test-secret-5"
} as const
