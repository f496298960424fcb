// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Mandates} from "../../../../src/chains/evm/contracts/solidity/Mandates.sol";
import {MandateOperator} from "../../../../src/chains/evm/contracts/solidity/MandateOperator.sol";
import {Operator} from "../../../../src/chains/evm/contracts/solidity/Operator.sol";
import {DepositForwarder} from "../../../../src/chains/evm/contracts/solidity/DepositForwarder.sol";
import {Router} from "../../../../src/chains/evm/contracts/solidity/Router.sol";
import {TestToken} from "../../../../src/chains/evm/contracts/solidity/TestToken.sol";
import {ContractWallet} from "../solidity/ContractWallet.sol";
import {HostileToken} from "../solidity/HostileToken.sol";
import {Consent} from "./Consent.sol";
import {vm} from "./Vm.sol";

/// @title Whoever has every key but the payers': owner, guardian, senders and merchants
/// @notice Foundry calls its functions in any order, with any numbers. Payers sign, revoke and pay deposits in between.
contract Thief {
    struct Signed {
        uint256 which;
        Mandates.Mandate mandate;
        bytes signature;
        bytes32 agreement;
    }

    struct Deposit {
        uint256 which;
        bytes32 key;
        uint256 amount;
        bool charged;
    }

    uint256 private constant KEY = 0xA11CE;
    uint256 private constant BALANCE = 1e9;
    address public constant OWNER = address(0x1001);
    address public constant GUARDIAN = address(0x1002);

    TestToken public immutable token = new TestToken("Honest", "H", 6, address(this));
    HostileToken public immutable hostile = new HostileToken();
    /// @dev A router, and another one that replaces it.
    Router[2] public routers;
    Consent[2] public consents;
    address[2] public payers;
    /// @dev Payees, platform, thief, accomplice, and the senders.
    address[8] public people;
    bytes32[2] public merchants = [keccak256("m0"), keccak256("m1")];
    /// @dev The balance that the account must have.
    mapping(address account => uint256) public expected;
    address[] public accounts;

    Signed[] private _signed;
    /// @dev The greatest cycle that was charged of an agreement.
    mapping(bytes32 agreement => uint24) private _cycles;
    Deposit[] private _deposits;
    uint256 private _random;
    uint256 private _made;

    constructor() {
        payers = [vm.addr(KEY), address(new ContractWallet(vm.addr(KEY)))];
        for (uint160 i; i < 8; ++i) people[i] = address(0x2001 + i);
        address[] memory senders = new address[](3);
        (senders[0], senders[1], senders[2]) = (people[5], people[6], address(hostile));
        for (uint256 which; which < 2; ++which) {
            consents[which] = new Consent();
            routers[which] = new Router(OWNER, senders, uint32(consents[which].DELAY()), GUARDIAN);
            for (uint256 i; i < 3; ++i) consents[which].addSender(senders[i]);
            _approveAll(routers[which]);
        }
        for (uint256 i; i < 2; ++i) {
            _give(payers[i], BALANCE);
            hostile.mint(payers[i], BALANCE);
        }
        for (uint256 i; i < 8; ++i) _give(people[i], 1_000);
    }

    /// @dev Payers approve the mandate operators, and merchants approve the router for refunds.
    function _approveAll(Router router) private {
        for (uint256 i; i < 8; ++i) {
            (address account, address spender) = i < 4
                ? (payers[i / 2], router.mandateOperatorOf(merchants[i % 2]))
                : (people[i % 2], address(router));
            vm.prank(account);
            token.approve(spender, type(uint256).max);
            vm.prank(account);
            hostile.approve(spender, type(uint256).max);
        }
    }

    // ---------------------------------------------------------------------------------------------------------- payers

    function payerSigns(uint256 seed) public {
        _seed(seed);
        Signed storage signed = _signed.push();
        signed.which = _pick(4) == 0 ? 1 : 0;
        Mandates.Mandate storage mandate = signed.mandate;
        uint256 which = signed.which;
        mandate.payer = payers[_pick(2)];
        mandate.merchant = merchants[_pick(4) / 3];
        mandate.token = _pick(6) == 0 ? address(hostile) : address(token);
        mandate.perCharge = 2 + _pick(99);
        mandate.charges = uint32(_pick(2) * _pick(5));
        mandate.interval = uint32([0, 1 hours, 1 days, 7 days, 28 days, 0, 0][_pick(7)]);
        if (mandate.interval == 0) mandate.months = uint16([0, 1, 1, 3][_pick(4)]);
        if (_pick(2) == 0) mandate.per30Days = mandate.perCharge * (1 + _pick(2));
        mandate.start = uint40(_now() + _pick(8 days) - 6 days);
        if (_pick(4) == 0) mandate.end = mandate.start + uint40(1 + _pick(40 days));
        mandate.issuedAt = uint40(_signed.length - (_pick(4) == 0 ? _pick(_signed.length) : 0));
        mandate.platform = people[2];
        mandate.feeBps = uint16([0, 100, 2_500][_pick(3)]);
        mandate.payees.push(people[_pick(2)]);
        if (_pick(2) == 0) mandate.payees.push(people[5]);
        mandate.agreement = bytes32(1 + _pick(3));
        mandate.terms = bytes32(seed);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(KEY, routers[which].mandateHash(mandate));
        signed.signature = abi.encodePacked(r, s, v);
        signed.agreement = keccak256(abi.encode(which, mandate.payer, mandate.merchant, mandate.agreement));
        consents[which].sign(mandate);
    }

    /// @dev P3: the payer needs nobody for it, and it works during a pause.
    function payerRevokes(uint256 seed) external {
        _seed(seed);
        (uint256 which, address payer, bytes32 merchant) = (_pick(2), payers[_pick(2)], merchants[_pick(4) / 3]);
        bytes32 agreement = bytes32(1 + _pick(6));
        vm.prank(payer);
        routers[which].revoke(merchant, agreement);
        consents[which].revoke(payer, merchant, agreement);
    }

    function payerDeposits(uint256 seed) external {
        _seed(seed);
        Deposit memory deposit = Deposit(_pick(2), keccak256(abi.encode(seed)), 1 + _pick(100), false);
        _deposits.push(deposit);
        _give(routers[deposit.which].depositOf(deposit.key), deposit.amount);
    }

    function timePasses(uint256 seed) external {
        _seed(seed);
        vm.warp(_now() + [uint256(1), 1 hours, 1 days, 8 days, 28 days, 31 days, 92 days][_pick(7)] + _pick(2) * _pick(1 days));
    }

    // ----------------------------------------------------------------------------------------------------------- thief

    /// @notice Charges what was signed, or something like it.
    function charges(uint256 seed) public {
        _seed(seed);
        if (_signed.length == 0) payerSigns(seed);
        uint256 recent = _signed.length < 6 ? _signed.length : 6;
        Signed storage signed = _signed[_signed.length - 1 - _pick(recent)];
        Mandates.MandateCharge[] memory items = new Mandates.MandateCharge[](1 + _pick(4) / 3);
        for (uint256 i; i < items.length; ++i) items[i] = _itemOf(signed, i);
        uint256 which = _pick(8) == 0 ? 1 - signed.which : signed.which;
        hostile.setMode(HostileToken.Mode(_pick(2) * _pick(14)));
        hostile.setCallback(address(routers[which]), abi.encodeCall(Router.chargeMandate, (_itemOf(signed, 1))));
        _charge(which, items, _pick(16) == 0 ? people[_pick(8)] : people[5 + _pick(2)]);
        hostile.setMode(HostileToken.Mode.Honest);
    }

    /// @notice The same, of which only charges count that were made: no run is without them.
    function chargesAgain(uint256 seed) external {
        uint256 before = _made;
        charges(seed);
        vm.assume(_made > before);
    }

    /// @notice Charges without a mandate: allowances of mandate operators, deposits twice, and clones called directly.
    function chargesOpenly(uint256 seed) external {
        _seed(seed);
        (uint256 which, bytes32 merchant, address payer) = (_pick(2), merchants[_pick(4) / 3], payers[_pick(2)]);
        address operator = routers[which].mandateOperatorOf(merchant);
        bytes32 salt = _pick(2) == 0 ? merchant : bytes32(uint256(uint160(operator)));
        if (_openly(which, keccak256(abi.encode(seed)), salt, payer, 1 + _pick(50))) {
            revert("P1: no charge without a mandate");
        }
        (address[] memory to, uint256[] memory amounts) = (new address[](1), new uint256[](1));
        (to[0], amounts[0]) = (people[3], 1);
        _mustFail(people[3], operator, abi.encodeCall(MandateOperator.pull, (address(token), payer, to, amounts)));
        _mustFail(people[3], routers[which].operatorOf(merchant), abi.encodeCall(Operator.pull, (address(token), payer, 1)));
        if (_signed.length == 0) return;
        Signed storage signed = _signed[_pick(_signed.length)];
        bytes memory data = abi.encodeCall(Router.chargeMandateItem, (_itemOf(signed, 0)));
        _mustFail(people[5], address(routers[signed.which]), data);
    }

    /// @notice P5: a deposit is charged once, and refunded from what is left.
    function usesDeposit(uint256 seed) external {
        _seed(seed);
        if (_deposits.length == 0) return;
        Deposit storage deposit = _deposits[_pick(_deposits.length)];
        Router router = routers[deposit.which];
        address forwarder = router.depositOf(deposit.key);
        _mustFail(people[3], forwarder, abi.encodeCall(DepositForwarder.pull, (address(token), 1)));
        _mustFail(people[3], forwarder, abi.encodeCall(DepositForwarder.refund, (address(token), people[3], 1)));
        uint256 amount = 1 + _pick(100);
        if (_pick(2) == 0) {
            if (!_openly(deposit.which, deposit.key, merchants[0], forwarder, amount)) return;
            if (deposit.charged) revert("P5: no deposit is charged twice");
            deposit.charged = true;
            _move(forwarder, people[3], amount);
            // Neither the block nor missing money may be what stops the second charge.
            vm.warp(_now() + 1);
            _give(forwarder, 1);
            if (_openly(deposit.which, deposit.key, merchants[0], forwarder, 1)) {
                revert("P5: no deposit is charged twice");
            }
            return;
        }
        bytes32 refundKey = bytes32(_pick(30));
        vm.prank(people[5 + _pick(2)]);
        try router.refundDeposit(deposit.key, refundKey, address(token), people[4], amount) {
            _move(forwarder, people[4], amount);
            _mustFail(
                people[5],
                address(router),
                abi.encodeCall(Router.refundDeposit, (deposit.key, refundKey, address(token), people[4], 1))
            );
        } catch {}
    }

    /// @notice A merchant's refund pulls from the caller alone.
    function refunds(uint256 seed) external {
        _seed(seed);
        (address from, address to, uint256 amount) = (people[_pick(8)], people[_pick(8)], 1 + _pick(9));
        vm.prank(from);
        try routers[_pick(2)].refund(bytes32(seed), address(token), to, amount) {
            _move(from, to, amount);
        } catch {}
    }

    function announces(uint256 seed) external {
        _seed(seed);
        (uint256 which, bytes32 merchant, address payee) = (_pick(2) * _pick(2), merchants[_pick(4) / 3], people[_pick(2) + 3]);
        address sender = people[5 + _pick(2)];
        uint256 kind = _pick(6);
        vm.prank(kind == 2 ? OWNER : kind == 3 ? GUARDIAN : sender);
        if (kind > 3) {
            try routers[which].announcePayee(merchant, payee) {
                consents[which].announce(merchant, payee, sender, _now());
            } catch {}
        } else if (kind == 3) {
            routers[which].withdrawPayee(merchant, payee);
            consents[which].withdraw(merchant, payee);
        } else {
            try routers[which].confirmPayee(merchant, payee) {
                consents[which].confirm(merchant, payee, sender, kind == 2);
            } catch {}
        }
    }

    function ownerActs(uint256 seed) external {
        _seed(seed);
        uint256 which = _pick(2);
        address sender = people[5 + _pick(2)];
        uint32 budget = 300_000 + uint32(_pick(2) * _pick(300_000));
        vm.prank(OWNER);
        routers[which].setGasBudget(budget, 80_000);
        if (_pick(4) != 0) _unpause(which);
        if (_pick(4) == 0) return;
        vm.prank(OWNER);
        routers[which].addSender(sender);
        consents[which].addSender(sender);
    }

    /// @notice P4: it can pause and remove senders, whatever the state, and do nothing else. Nor can anybody else.
    function guardianActs(uint256 seed) external {
        _seed(seed);
        uint256 which = _pick(2);
        address router = address(routers[which]);
        uint256 kind = _pick(4);
        if (kind < 2) {
            address sender = people[5 + _pick(2)];
            vm.prank(GUARDIAN);
            routers[which].removeSender(sender);
            consents[which].removeSender(sender);
        } else if (kind == 2 && !consents[which].paused()) {
            vm.prank(GUARDIAN);
            routers[which].pause();
            consents[which].setPaused(true, _now());
        }
        (bytes32 merchant, address thief) = (merchants[_pick(4) / 3], people[3]);
        for (uint256 i; i < 2; ++i) {
            address caller = i == 0 ? GUARDIAN : thief;
            _mustFail(caller, router, abi.encodeCall(Router.addSender, (thief)));
            _mustFail(caller, router, abi.encodeCall(Router.setGuardian, (thief)));
            _mustFail(caller, router, abi.encodeCall(Router.setGasBudget, (300_000, 80_000)));
            _mustFail(caller, router, abi.encodeWithSignature("transferOwnership(address)", thief));
            _mustFail(caller, router, abi.encodeCall(Router.unpause, ()));
            _mustFail(caller, router, abi.encodeCall(Router.announcePayee, (merchant, thief)));
            _mustFail(caller, router, abi.encodeCall(Router.confirmPayee, (merchant, thief)));
        }
        _mustFail(thief, router, abi.encodeCall(Router.pause, ()));
        _mustFail(thief, router, abi.encodeCall(Router.removeSender, (people[5])));
        _mustFail(thief, router, abi.encodeCall(Router.withdrawPayee, (merchant, people[5])));
        // A revocation of somebody else concerns their own agreements alone.
        vm.prank(thief);
        routers[which].revoke(merchant, bytes32(uint256(1)));
    }

    /// @notice P5, at the end: every deposit can be refunded in full, and a payer who signs can be charged.
    function settles() external {
        for (uint256 which; which < 2; ++which) {
            _unpause(which);
            vm.prank(OWNER);
            routers[which].addSender(people[7]);
            consents[which].addSender(people[7]);
            _chargeNewPayer(which);
        }
        for (uint256 i; i < _deposits.length; ++i) {
            Deposit memory deposit = _deposits[i];
            uint256 left = expected[routers[deposit.which].depositOf(deposit.key)];
            if (left == 0) continue;
            vm.prank(people[7]);
            routers[deposit.which].refundDeposit(deposit.key, keccak256(abi.encode("last", i)), address(token), people[4], left);
            _move(routers[deposit.which].depositOf(deposit.key), people[4], left);
        }
    }

    // --------------------------------------------------------------------------------------------------------- helpers

    function _unpause(uint256 which) private {
        if (!consents[which].paused()) return;
        vm.prank(OWNER);
        routers[which].unpause();
        consents[which].setPaused(false, _now());
    }

    function _chargeNewPayer(uint256 which) private {
        Mandates.MandateCharge memory item;
        (item.mandate.payer, item.mandate.merchant, item.mandate.token) = (payers[0], merchants[0], address(token));
        (item.mandate.perCharge, item.mandate.issuedAt, item.mandate.agreement) = (7, 1, keccak256("new"));
        (item.to, item.amounts, item.cycle) = (new address[](1), new uint256[](1), 1);
        (item.to[0], item.amounts[0]) = (people[0], 7);
        item.mandate.payees = item.to;
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(KEY, routers[which].mandateHash(item.mandate));
        item.signature = abi.encodePacked(r, s, v);
        consents[which].sign(item.mandate);
        vm.prank(people[7]);
        routers[which].chargeMandate(item);
        _record(which, item, people[7]);
    }

    /// @dev Charges the items in one transaction, with any gas, and records those that were made.
    function _charge(uint256 which, Mandates.MandateCharge[] memory items, address sender) private {
        Router router = routers[which];
        uint256 available = _pick(16) == 0 ? 100_000 + _pick(2_000_000) : 30_000_000;
        bytes[] memory reasons = new bytes[](1);
        vm.prank(sender);
        if (items.length == 1 && _pick(2) == 0) {
            try router.chargeMandate{gas: available}(items[0]) {} catch {
                return;
            }
        } else {
            try router.chargeMany{gas: available}(new Router.Charge[](0), items) returns (bytes[] memory all) {
                reasons = all;
            } catch {
                return;
            }
        }
        for (uint256 i; i < items.length; ++i) if (reasons[i].length == 0) _record(which, items[i], sender);
    }

    function _record(uint256 which, Mandates.MandateCharge memory item, address sender) private {
        consents[which].record(item, sender, _now());
        bytes32 agreement = keccak256(
            abi.encode(which, item.mandate.payer, item.mandate.merchant, item.mandate.agreement)
        );
        if (item.cycle > _cycles[agreement]) _cycles[agreement] = item.cycle;
        ++_made;
        if (item.mandate.token != address(token)) return;
        for (uint256 i; i < item.to.length; ++i) _move(item.mandate.payer, item.to[i], item.amounts[i]);
    }

    /// @dev A charge of the mandate: mostly within it, and sometimes with another word in it, or another's signature.
    function _itemOf(Signed storage signed, uint256 index) private returns (Mandates.MandateCharge memory item) {
        item.mandate = signed.mandate;
        item.signature = _pick(8) == 0 ? bytes("") : signed.signature;
        item.cycle = _cycles[signed.agreement] + uint24(_pick(8) == 0 ? _pick(40) : 1 + index);
        item.to = new address[](1 + _pick(2) * _pick(3));
        item.amounts = new uint256[](item.to.length);
        uint256 most = item.mandate.perCharge / item.to.length + (_pick(8) == 0 ? 5 : 0);
        for (uint256 i; i < item.to.length; ++i) {
            item.to[i] = _pick(4) != 0 ? item.mandate.payees[0] : people[_pick(2) == 0 ? 3 : _pick(6)];
            item.amounts[i] = most - _pick(2) * _pick(most + 1);
            if (item.to[i] == people[2] && _pick(4) != 0) item.amounts[i] = (most * item.mandate.feeBps) / 20_000;
        }
        if (_pick(6) == 0) _forge(item, _signed[_pick(_signed.length)]);
    }

    function _forge(Mandates.MandateCharge memory item, Signed storage other) private {
        Mandates.Mandate memory mandate = item.mandate;
        uint256 field = _pick(17);
        if (field == 0) mandate.payer = payers[_pick(2)];
        if (field == 1) mandate.merchant = merchants[_pick(4) / 3];
        if (field == 2) mandate.token = address(token);
        if (field == 3) mandate.perCharge = 10_000;
        if (field == 4) mandate.charges = 0;
        if (field == 5) mandate.interval = uint32(_pick(2));
        if (field == 6) mandate.months = uint16(_pick(2));
        if (field == 7) mandate.start = 0;
        if (field == 8) mandate.end = 0;
        if (field == 9) mandate.issuedAt = type(uint40).max - uint40(_pick(2));
        if (field == 10) mandate.platform = item.to[0];
        if (field == 11) mandate.feeBps = 10_000;
        if (field == 12) mandate.payees = item.to;
        if (field == 13) mandate.agreement = bytes32(1 + _pick(7));
        if (field == 14) mandate.terms = bytes32(0);
        if (field == 15) item.mandate = other.mandate;
        if (field == 16) mandate.per30Days = _pick(2) * 10_000;
    }

    /// @dev Whether an open charge was made, to the thief.
    function _openly(uint256 which, bytes32 key, bytes32 salt, address from, uint256 amount) private returns (bool) {
        (address[] memory to, uint256[] memory amounts) = (new address[](1), new uint256[](1));
        (to[0], amounts[0]) = (people[3], amount);
        vm.prank(people[5 + _pick(2)]);
        try routers[which].charge(Router.Charge(key, salt, address(token), from, amount, to, amounts)) {
            return true;
        } catch {
            return false;
        }
    }

    function _mustFail(address caller, address target, bytes memory data) private {
        bool existed = target.code.length > 0;
        vm.prank(caller);
        (bool done, ) = target.call(data);
        if (done && existed) revert("P4: no key does what is not its own");
    }

    function _give(address account, uint256 amount) private {
        token.mint(account, amount);
        expected[account] += amount;
        accounts.push(account);
    }

    function _move(address from, address to, uint256 amount) private {
        expected[from] -= amount;
        expected[to] += amount;
    }

    function accountCount() external view returns (uint256) {
        return accounts.length;
    }

    /// @dev Not `block.timestamp`: the compiler reads that once in a call, and `warp` changes it.
    function _now() private view returns (uint256) {
        return vm.getBlockTimestamp();
    }

    function _seed(uint256 seed) private {
        _random = seed;
    }

    function _pick(uint256 count) private returns (uint256) {
        _random = uint256(keccak256(abi.encode(_random)));
        return _random % count;
    }
}

/// @title P1 to P5: no money moves but what payers have agreed to
contract ConsentTest {
    struct FuzzSelector {
        address addr;
        bytes4[] selectors;
    }

    Thief private _thief;

    function setUp() external {
        vm.warp(1_800_000_000);
        _thief = new Thief();
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(_thief);
    }

    /// @dev It belongs to the end.
    function excludeSelectors() external view returns (FuzzSelector[] memory excluded) {
        excluded = new FuzzSelector[](1);
        excluded[0] = FuzzSelector(address(_thief), new bytes4[](1));
        excluded[0].selectors[0] = Thief.settles.selector;
    }

    /// @notice Every balance is what the recorded charges, deposits and refunds make it: nothing else has moved.
    function invariant_consent() public view {
        for (uint256 i; i < _thief.accountCount(); ++i) {
            address account = _thief.accounts(i);
            assert(_thief.token().balanceOf(account) == _thief.expected(account));
        }
    }

    function afterInvariant() external {
        _thief.settles();
        invariant_consent();
    }
}
