// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";

import {Mandates} from "../../../../src/chains/evm/contracts/solidity/Mandates.sol";
import {vm} from "../properties/Vm.sol";

/// @title The cheat codes of Halmos that these tests use
interface Svm {
    function enableSymbolicStorage(address account) external;
}

Svm constant svm = Svm(address(uint160(uint256(keccak256("svm cheat code")))));

/// @title The rules of a mandate without a router: announcements are anything
contract Rules is Mandates {
    mapping(address => bool) public announced;

    function use(MandateCharge calldata item, bytes32 key, uint256 gross) external {
        _useMandate(item, key, gross);
    }

    function _useAnnouncement(bytes32, address payee, uint256) internal view override returns (bool) {
        return announced[payee];
    }
}

/// @title The rules for all inputs: a solver (Halmos) tries all of them, from every state of the storage
/// @notice Each `check` says what holds after any charge that is made. By induction it holds for every sequence of charges.
contract RulesTest {
    address private constant PAYER = address(0xA11CE);
    bytes32 private constant MERCHANT = bytes32(uint256(1));
    bytes32 private constant AGREEMENT = bytes32(uint256(2));

    Rules private _rules;
    bool private _hasRhythm;

    function setUp() external {
        _rules = new Rules();
        svm.enableSymbolicStorage(address(_rules));
    }

    /// @notice P1: amount, times and count, without a rhythm, which can only refuse more.
    /// @custom:halmos --array-lengths mandate.payees=0
    function check_terms(Mandates.Mandate memory mandate, uint24 cycle, uint256 gross, uint40 moment) external {
        (, , uint256 before, ) = _use(mandate, cycle, new address[](0), new uint256[](0), gross, moment);
        (, , uint256 count, ) = _rules.agreementOf(PAYER, MERCHANT, AGREEMENT);
        assert(gross <= mandate.perCharge);
        assert(moment >= mandate.start);
        assert(mandate.end == 0 || moment <= mandate.end);
        assert(mandate.charges == 0 || count <= mandate.charges);
        assert(count == before + 1 || count == 1);
    }

    /// @notice P1: an older mandate never comes back. P3: nothing is charged after a revocation.
    /// @custom:halmos --array-lengths mandate.payees=0
    function check_newest(Mandates.Mandate memory mandate, uint24 cycle, uint256 gross, uint40 moment) external {
        (uint256 inForce, , , ) = _use(mandate, cycle, new address[](0), new uint256[](0), gross, moment);
        (uint256 issuedAt, , , ) = _rules.agreementOf(PAYER, MERCHANT, AGREEMENT);
        assert(inForce != type(uint40).max && issuedAt != type(uint40).max);
        assert(issuedAt == inForce || (issuedAt == mandate.issuedAt && issuedAt > inForce));
    }

    /// @notice P5: a cycle is charged once, and no other cycle's state is lost within the window.
    /// @custom:halmos --array-lengths mandate.payees=0
    function check_window(Mandates.Mandate memory mandate, uint24 cycle, uint24 other, uint40 moment) external {
        vm.assume(other != 0);
        bool otherBefore = _isSeen(other);
        bool cycleBefore = _isSeen(cycle);
        (, , , uint256 last) = _use(mandate, cycle, new address[](0), new uint256[](0), 1, moment);
        (, , , uint256 lastAfter) = _rules.agreementOf(PAYER, MERCHANT, AGREEMENT);
        assert(!cycleBefore && cycle != 0);
        assert(_isSeen(cycle));
        assert(!otherBefore || _isSeen(other));
        assert(other == cycle || otherBefore || !_isSeen(other) || lastAfter >= 32 + uint256(other));
        assert(last == 0 || lastAfter < last + 32);
    }

    /// @notice P1: with a rhythm of seconds, a charge uses up its date, and is ahead of it by 8 days and one date at most.
    /// Other limits have no part in it: there is no end and no count here, and the charge is the agreement's first cycle.
    /// @custom:halmos --array-lengths mandate.payees=0
    function check_rhythm(Mandates.Mandate memory mandate, uint40 moment) external {
        vm.assume(mandate.months == 0 && mandate.interval != 0 && mandate.end == 0 && mandate.charges == 0);
        vm.assume(moment < 1 << 39);
        (uint256 before, uint256 due, , uint256 last) = _rules.agreementOf(PAYER, MERCHANT, AGREEMENT);
        // A mandate that is in force has its moment of issue in the state.
        vm.assume(last == 0 && before == mandate.issuedAt);
        uint256 later = due > moment ? due : moment;
        // What holds of any numbers, and the solver cannot see: `Math.max` and `Math.min` multiply by 0 or 1, and a remainder is
        // less than its divisor.
        vm.assume((due ^ moment) * SafeCast.toUint(due > moment) == (due > moment ? due ^ moment : 0));
        uint256 ahead = mandate.interval < 8 days ? mandate.interval : 8 days;
        bool isShort = mandate.interval < 8 days;
        vm.assume((mandate.interval ^ 8 days) * SafeCast.toUint(isShort) == (isShort ? mandate.interval ^ 8 days : 0));
        vm.assume(later < mandate.start || (later - mandate.start) % mandate.interval < mandate.interval);
        _hasRhythm = true;
        _use(mandate, 1, new address[](0), new uint256[](0), 1, moment);
        (, uint256 next, , ) = _rules.agreementOf(PAYER, MERCHANT, AGREEMENT);
        assert(due <= uint256(moment) + ahead);
        assert(next > moment && next > due);
        assert(next <= later + mandate.interval);
    }

    /// @notice P2: each recipient is signed or announced, and the platform gets no more than its part.
    function check_payees(Mandates.Mandate memory mandate, address[2] memory to, uint128[2] memory amounts) external {
        (address[] memory recipients, uint256[] memory parts) = (new address[](2), new uint256[](2));
        uint256 fee;
        uint256 gross = uint256(amounts[0]) + amounts[1];
        for (uint256 i; i < 2; ++i) {
            (recipients[i], parts[i]) = (to[i], amounts[i]);
            if (to[i] == mandate.platform) fee += amounts[i];
        }
        _use(mandate, 1, recipients, parts, gross, 1_800_000_000);
        assert(fee * 10_000 <= gross * mandate.feeBps);
        for (uint256 i; i < 2; ++i) {
            bool isNamed = to[i] == mandate.platform || _rules.announced(to[i]);
            for (uint256 j; j < mandate.payees.length; ++j) if (mandate.payees[j] == to[i]) isNamed = true;
            assert(isNamed);
        }
    }

    /// @dev Charges from any state, and goes on if the charge was made. The state before it.
    function _use(
        Mandates.Mandate memory mandate,
        uint24 cycle,
        address[] memory to,
        uint256[] memory amounts,
        uint256 gross,
        uint256 moment
    ) private returns (uint256 issuedAt, uint256 due, uint256 count, uint256 last) {
        vm.warp(moment);
        if (!_hasRhythm) (mandate.interval, mandate.months) = (0, 0);
        // The limit of 30 days could only refuse the charge.
        mandate.per30Days = 0;
        (mandate.payer, mandate.merchant, mandate.agreement) = (PAYER, MERCHANT, AGREEMENT);
        (issuedAt, due, count, last) = _rules.agreementOf(PAYER, MERCHANT, AGREEMENT);
        vm.assume(count < type(uint24).max);
        bytes memory signature = new bytes(65);
        try _rules.use(Mandates.MandateCharge(mandate, signature, cycle, to, amounts), bytes32(0), gross) {} catch {
            vm.assume(false);
        }
    }

    function _isSeen(uint256 cycle) private view returns (bool) {
        return _rules.cycleSeen(PAYER, MERCHANT, AGREEMENT, cycle);
    }
}
