import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { fold } from "../../domain/decider.ts"
import {
  isOperatorName,
  operatorNamed,
  OperatorRole,
  operators,
  type OperatorsCommand,
  OperatorsEvent,
  operatorWithToken
} from "../../domain/operators.ts"
import { given } from "../support/decider-spec.ts"
import { itObeysTheLaws } from "./decider-laws.ts"

const at = "2026-11-22T05:00:00.000Z"

const added = (name: string, role: OperatorRole, tokenDigest = `digest of ${name}`): OperatorsEvent => ({
  _tag: "OperatorAdded",
  operatorId: `id of ${name}`,
  name,
  role,
  tokenDigest,
  at
})
const add = (name: string, role: OperatorRole, operatorId = `id of ${name}`): OperatorsCommand => ({
  _tag: "AddOperator",
  operatorId,
  name,
  role,
  tokenDigest: `digest of ${name}`,
  at
})
const remove = (name: string, hasOtherAdmin = false): OperatorsCommand => ({
  _tag: "RemoveOperator",
  name,
  hasOtherAdmin,
  at
})
const removed = (name: string): OperatorsEvent => ({ _tag: "OperatorRemoved", operatorId: `id of ${name}`, name, at })
const changeRole = (name: string, role: OperatorRole, hasOtherAdmin = false): OperatorsCommand => ({
  _tag: "ChangeOperatorRole",
  name,
  role,
  hasOtherAdmin,
  at
})

describe("operators", () => {
  it("have names that are unique without regard to case", () => {
    given(operators).when(add("nok", "admin")).then(added("nok", "admin"))
    given(operators, added("nok", "admin")).when(add("nok", "admin")).thenNothing()
    given(operators, added("nok", "admin")).when(add("Nok", "auditor", "another")).thenRejected("OperatorNameTaken")
    assert.strictEqual(operatorNamed(fold(operators, [added("Nok", "admin")]), "nOK")?.name, "Nok")
  })

  it("can have the name of an operator that was removed", () => {
    given(operators, added("nok", "auditor"), removed("nok"))
      .when(add("nok", "support", "another"))
      .then({ ...added("nok", "support"), operatorId: "another" })
  })

  it("are found by their newest token only, and not after they were removed", () => {
    const issued: OperatorsEvent = {
      _tag: "OperatorTokenIssued",
      operatorId: "id of nok",
      name: "nok",
      tokenDigest: "new",
      at
    }
    const state = fold(operators, [added("nok", "admin"), issued])
    assert.strictEqual(operatorWithToken(state, "new")?.name, "nok")
    assert.isUndefined(operatorWithToken(state, "digest of nok"))
    const after = fold(operators, [removed("nok")], state)
    assert.isUndefined(operatorWithToken(after, "new"))
    assert.isUndefined(operatorNamed(after, "nok"))
  })

  it("keep an administrator, unless another one can sign in without being an operator", () => {
    const history = [added("nok", "admin"), added("lek", "support")]
    given(operators, ...history).when(remove("nok")).thenRejected("LastAdmin")
    given(operators, ...history).when(changeRole("nok", "auditor")).thenRejected("LastAdmin")
    given(operators, ...history).when(remove("lek")).then(removed("lek"))
    given(operators, ...history).when(remove("nok", true)).then(removed("nok"))
    given(operators, ...history, added("ann", "admin")).when(remove("nok")).then(removed("nok"))
  })

  it("that do not exist cannot be changed; a repeated removal changes nothing", () => {
    given(operators).when(changeRole("nok", "auditor")).thenRejected("OperatorNotFound")
    given(operators).when(remove("nok")).thenRejected("OperatorNotFound")
    given(operators, added("nok", "auditor"), removed("nok")).when(remove("nok")).thenNothing()
    given(operators, added("nok", "auditor")).when(changeRole("NOK", "auditor")).thenNothing()
  })

  it("have names that an event cannot confuse with the bootstrap token, the operating system or a provider", () => {
    for (const name of ["a", "nok", "N0k.k+1@shop.example", "a_b-c", "x".repeat(64)]) {
      assert.isTrue(isOperatorName(name), name)
    }
    const wrong = [
      "",
      " nok",
      "nok ",
      "ADMIN_TOKEN",
      "admin_token",
      "os:root",
      "oidc:a",
      ".nok",
      "-n",
      "x".repeat(65),
      "ก"
    ]
    for (const name of wrong) assert.isFalse(isOperatorName(name), name)
  })
})

const Name = Schema.Literals(["nok", "Nok", "lek"])
const Digest = Schema.Literals(["digest 1", "digest 2", "digest 3"])
const Command = Schema.TaggedUnion({
  AddOperator: {
    operatorId: Schema.Literals(["id-1", "id-2", "id-3"]),
    name: Name,
    role: OperatorRole,
    tokenDigest: Digest,
    at: Schema.Literal(at)
  },
  ChangeOperatorRole: { name: Name, role: OperatorRole, hasOtherAdmin: Schema.Boolean, at: Schema.Literal(at) },
  IssueOperatorToken: { name: Name, tokenDigest: Digest, at: Schema.Literal(at) },
  RemoveOperator: { name: Name, hasOtherAdmin: Schema.Boolean, at: Schema.Literal(at) }
})

describe("any operators", () => {
  itObeysTheLaws(operators, OperatorsEvent, Arbitrary.schema(Command))
})
