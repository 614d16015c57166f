import { assert, describe, it } from "../../../support/it.ts"
import { ConfigProvider, Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { registerBankAccount } from "../../../../application/bank-accounts/register-bank-account.ts"
import { fieldsOf } from "../../../../domain/bank-account/fields.ts"
import { layerChange } from "../../../../infrastructure/commands/cli/stores.ts"
import { run, runJson } from "../../../support/in-process.ts"
import type { Env } from "../../../support/service.ts"
import { temporaryFolder } from "../../../support/temporary-folder.ts"

const UNKNOWN = "5b0b3f0e-7c5d-4a1b-9f2e-6d8c4a3b2c1d"

/** Registers an account for each number, as the branch does over HTTP. Returns their ids. */
const registered = (
  env: Env,
  serviceId: string,
  branchId: string,
  numbers: ReadonlyArray<string>
) =>
  Effect.forEach(numbers, (bankNumber) =>
    Effect.map(
      registerBankAccount(
        {
          accountId: randomUUID(),
          serviceId,
          branchId,
          fields: fieldsOf({ bankCode: "004", bankNumber, nameTh: "ร้านกาแฟ" })
        },
        { actor: { kind: "branch", id: branchId }, correlationId: "request-1" }
      ),
      ({ id }) => id
    )).pipe(
      Effect.provide(Layer.provide(layerChange, ConfigProvider.layer(ConfigProvider.fromEnvRecord(env))))
    )

describe("bank accounts on the command line", () => {
  it.live("are listed, shown, changed, unlinked and deactivated, with masked numbers and names", function* () {
    const env = { DATA_DIR: join(yield* temporaryFolder, "data") }
    const { id: serviceId, mainBranch } = yield* runJson(["service", "create", "--name", "Shop"], env)
    const till = yield* runJson(["branch", "create", "--service", serviceId, "--name", "Till"], env)
    const [id = "", other = ""] = yield* registered(env, serviceId, mainBranch.id, ["1234567890", "1112223334"])
    const account = (...args: ReadonlyArray<string>) => runJson(["bank-account", ...args], env)
    const shown = { id, bankCode: "004", bankNumber: "xxxxxx7890", nameTh: "ร้***", branchIds: [mainBranch.id] }
    assert.deepInclude(yield* account("show", id.toUpperCase()), shown)
    assert.lengthOf(yield* account("list", "--service", serviceId), 2)
    assert.lengthOf(yield* account("list", "--branch", till.id), 0)
    assert.deepInclude((yield* account("list", "--branch", mainBranch.id, "--limit", "1"))[0], shown)

    const changes = ["--number", "555-6-66777-8", "--name-en", "GOOD COFFEE", "--type", "JURISTIC"]
    assert.deepInclude(yield* account("set", id, ...changes), {
      bankNumber: "xxxxxx7778",
      nameEn: "G*** C***",
      type: "JURISTIC"
    })
    const shop = ["--bank", "KSHOP", "--number", "010753600031508", "--ref1", "KPS004KB000001234567"]
    assert.deepInclude(yield* account("set", id, ...shop, "--merchant-id", "merchant-77"), {
      bankNumber: "xxxxxxxxxxx1508",
      ref1: "xxxxxxxxxx4567",
      merchantId: "xxxxxxNT77"
    })
    assert.notProperty(yield* account("set", id, "--merchant-id", "none", "--ref1", "none"), "merchantId")
    const phone = ["--bank", "PROMPTPAY", "--number", "0812345678", "--extra-verify", "MSISDN", "--name-en", "none"]
    assert.deepInclude(yield* account("set", id, ...phone, "--type", "none"), {
      bankCode: "PROMPTPAY",
      bankNumber: "xxxxxx5678",
      extraVerify: "MSISDN",
      nameEn: null,
      type: null
    })
    assert.deepStrictEqual((yield* account("link", id, "--branch", till.id)).branchIds, [mainBranch.id, till.id])
    assert.deepStrictEqual((yield* account("unlink", id, "--branch", mainBranch.id)).branchIds, [till.id])

    const refused = [
      [2, ["list"], "give exactly one of --service, --branch"],
      [2, ["set", other], "give at least one of --bank"],
      [2, ["set", other, "--number", "12"], "--number: Expected the whole account number"],
      [2, ["set", other, "--number", "KPS004KB000001234567"], "not a biller id"],
      [2, ["set", other, "--bank", "KSHOP", "--ref1", "SHOP1"], "--ref1: Expected KB and 12 digits"],
      [2, ["set", other, "--name-th", ""], "--name-th: Expected"],
      [2, ["set", other, "--bank", "999"], "--bank: Expected a code of the bank list"],
      [2, ["set", other, "--bank", "002"], "--extra-verify: Expected one of the bank's values"],
      [
        1,
        ["set", other, "--bank", "PROMPTPAY", "--extra-verify", "MSISDN", "--number", "0812345678"],
        "another active"
      ],
      [2, ["link", other, "--branch", "till"], "--branch: Expected"],
      [1, ["link", other, "--branch", UNKNOWN], "the branch does not exist"]
    ] as const
    for (const [code, args, message] of refused) {
      const ended = yield* run(["bank-account", ...args], env)
      assert.deepStrictEqual([ended.code, ended.stdout], [code, ""], args.join(" "))
      assert.include(ended.stderr, message)
    }

    assert.isFalse((yield* account("deactivate", id)).isActive)
    const { stdout } = yield* run(["bank-account", "show", id], env)
    assert.match(stdout, /^state {2,}deactivated$/mu)
    assert.notMatch(stdout, /0812345678|ร้านกาแฟ/u)
    const again = yield* run(["bank-account", "set", id, "--type", "none"], env)
    assert.deepInclude(again, {
      code: 1,
      stderr: "sliptrail: the bank account does not exist, or it was deactivated"
    })
    const trail = yield* run(["trail", "show", "--branch", till.id], env)
    assert.match(trail.stdout, /Bank account deactivated[^\n]*\(admin cli/u)
  })
})
