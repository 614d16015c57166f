/** The vendors that the test server stands in for, as `BANK_GATEWAYS` names them. */
export const vendors = ["easyslip", "thunder", "slipok", "slip2go", "rdcw"] as const
export type Vendor = (typeof vendors)[number]

export const isVendor = (name: string): name is Vendor => vendors.some((vendor) => vendor === name)
