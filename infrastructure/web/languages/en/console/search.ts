/** The texts of the search in English. */
export const enSearch = {
  search: {
    label: "Search",
    hint: "Reference, amount, shop or id",
    button: "Search",
    title: "Search",
    lead: "Enter what you know:",
    kinds: [
      "the reference of a slip, or its last six characters: M07736",
      "the bank and the reference: KBANK:013071152533APM07736",
      "an amount of baht: 1,250.50",
      "the name of a service or a branch, or a part of it",
      "a remark, as the shop sent it",
      "the host of callbacks: shop.example",
      "the id of a verification, job, batch, request, service, branch or bank account",
      "the text of a slip's QR code"
    ],
    nothing: (text: string) => `Nothing was found for “${text}”.`,
    found: (text: string) => `Found for “${text}”`,
    searchedAs: "It was searched as:",
    readings: {
      id: "an id",
      request: "the id of a request",
      slip: "a slip with its bank",
      reference: "a whole reference at any bank",
      tail: "the last six characters of a reference",
      name: "the name of a service or a branch",
      host: "a host of callbacks",
      amount: "an amount of baht",
      remark: "a remark"
    },
    groups: {
      id: "Ids",
      request: "Requests",
      slip: "Slips",
      reference: "Slips with this reference",
      tail: "References that end like this",
      name: "Services and branches",
      host: "Hosts of callbacks",
      amount: "This amount",
      remark: "This remark"
    },
    kindNames: {
      service: "Service",
      branch: "Branch",
      bankAccount: "Bank account",
      job: "Job",
      batch: "Batch",
      verification: "Verification",
      slip: "Slip",
      request: "Request",
      callbackHost: "Callbacks to this host"
    },
    count: (count: number, isComplete: boolean) => isComplete ? String(count) : `${count}+`,
    jobHint: "not verified yet",
    backTo: "Verifications were searched back to",
    inList: "Search further in the list",
    more: "There are more. Enter more of the text.",
    tailHint: "Only the last six characters are compared. "
      + "Slips that version 0.1.0 verified are found by the whole reference only.",
    tries: [
      "Check the text: ask the shop for the whole reference, or for the amount.",
      "An id needs all of its characters: copy it with the button next to it.",
      "A request that changed nothing, or was rejected early, leaves no record."
    ]
  }
}
