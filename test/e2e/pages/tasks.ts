import { Effect } from "effect"
import type { newSlip } from "../../support/client.ts"
import { addSession, newWindow, sizes } from "../../support/browser.ts"
import { RunningService } from "../../support/service.ts"
import { formTokenIn, getPage, sendForm, signedIn, testBrowser, textOf } from "../console/given-console.ts"
import { pictureOf } from "../shop/given-shop-page.ts"
import { DemoData } from "./demo-data.ts"
import { makePerson, type Person } from "./timed-person.ts"

/** A task of a person, with the steps that were taken. */
export interface Task {
  readonly title: string
  readonly steps: Person["steps"]
}

/** The path of a new link for a till, as an operator makes it in the console. */
const newSignInLink = Effect.gen(function* () {
  const { baseUrl } = yield* RunningService
  const { branchId } = yield* DemoData
  const cookie = yield* signedIn(baseUrl)
  const path = `/console/branches/${branchId}/new-sign-in-link`
  const form = yield* Effect.flatMap(getPage(baseUrl, path, { cookie }), textOf)
  const fields = { csrf: formTokenIn(form), name: "Till 4", verify: "1", validHours: "1" }
  const html = yield* Effect.flatMap(sendForm(baseUrl, path, fields, { cookie }), textOf)
  return /\/app\/link\/[0-9a-f]{64}/u.exec(html)?.[0] ?? ""
})

/** A new window in English: a phone, or a laptop with the session of an operator. */
const openWindow = Effect.fnUntraced(
  function* (viewport: { readonly width: number; readonly height: number }, token = "") {
    const browser = yield* testBrowser
    const { baseUrl } = yield* RunningService
    const context = yield* newWindow(browser, { viewport, locale: "en-GB", colorScheme: "light" })
    if (token !== "") {
      yield* addSession(context, "/console", yield* signedIn(baseUrl, token))
    }
    return makePerson(yield* Effect.promise(() => context.newPage()))
  }
)

const laptop = { width: 1280, height: 800 }

/** A clerk signs in with a link, and checks a good slip, the same slip again, and one with a wrong amount. */
export const checkThreeSlips = Effect.gen(function* () {
  const { baseUrl } = yield* RunningService
  const { newSlip: slipOf } = yield* DemoData
  const link = yield* newSignInLink
  const fileOf = Effect.fnUntraced(function* (slip: ReturnType<typeof newSlip>, name: string) {
    return { ...yield* pictureOf(slip), name }
  })
  const good = yield* fileOf(slipOf(250), "slip-1.png")
  const wrong = yield* fileOf(slipOf(200), "slip-2.png")
  const clerk = yield* openWindow(sizes.phone)
  yield* Effect.promise(async () => {
    await clerk.opens("opens the link", baseUrl + link)
    await clerk.presses("button", "Sign in this device")
    await clerk.reads("Check a slip")
    await clerk.types("Amount to pay", "250")
    await clerk.ticks("Keep this amount for the next slip")
    const checks = async (picture: typeof good, verdict: string) => {
      await clerk.chooses("Choose a picture", picture)
      await clerk.reads(verdict)
    }
    await checks(good, "Accepted")
    await clerk.presses("link", "Next slip")
    await checks(good, "Already used")
    await clerk.presses("link", "Next slip")
    await checks(wrong, "Wrong amount")
  })
  return { title: "A clerk signs in with a link and checks three slips", steps: clerk.steps } satisfies Task
})

/** Support finds a slip by what a customer reads out, and reads what the shop got as an answer. */
export const findWhatTheShopWasTold = Effect.gen(function* () {
  const { baseUrl } = yield* RunningService
  const { slip, tokens } = yield* DemoData
  const support = yield* openWindow(laptop, tokens.support)
  yield* Effect.promise(async () => {
    await support.opens("opens the console", `${baseUrl}/console`)
    await support.searches(slip.transRef.slice(-6))
    await support.reads("References that end like this")
    await support.presses("link", "Open")
    await support.reads("The slip is genuine, but it was verified before.")
  })
  return { title: "Support finds a slip and says what the shop got as an answer", steps: support.steps } satisfies Task
})

/** An auditor answers who looked at the personal data of a slip. */
export const findWhoLooked = Effect.gen(function* () {
  const { baseUrl } = yield* RunningService
  const { slip, tokens } = yield* DemoData
  const auditor = yield* openWindow(laptop, tokens.auditor)
  yield* Effect.promise(async () => {
    await auditor.opens("opens the console", `${baseUrl}/console`)
    await auditor.searches(slip.transRef)
    await auditor.reads("The slip is genuine, but it was verified before.")
    await auditor.reads("Who looked at this?")
    await auditor.reads("Personal data shown to ann")
  })
  return { title: "An auditor answers who looked at a slip", steps: auditor.steps } satisfies Task
})

export const tasks = [checkThreeSlips, findWhatTheShopWasTold, findWhoLooked] as const
