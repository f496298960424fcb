// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Mandates} from "../../../../src/chains/evm/contracts/solidity/Mandates.sol";
import {Calendar} from "./Calendar.sol";

/// @title What payers have agreed to on one router
/// @notice It remembers what was signed, announced, revoked and charged, and counts. It shares no code with the contracts. The
/// properties are those of `docs/security-review.md`.
contract Consent {
    struct Made {
        uint256 moment;
        uint256 datesBefore;
    }

    struct Taken {
        uint256 moment;
        uint256 gross;
    }

    struct Payee {
        address announcedBy;
        address confirmedBy;
        bool byOwner;
        bool used;
        uint256 from;
    }

    uint256 public constant DELAY = 2 days;
    uint256 private constant LAPSE = 90 days;
    uint256 private constant MOST_AHEAD = 8 days;

    bool public paused;
    mapping(address account => bool) public isSender;
    mapping(bytes32 mandate => bool) private _signed;
    mapping(bytes32 agreement => bool) private _revoked;
    mapping(bytes32 agreement => bytes32) private _newest;
    mapping(bytes32 agreement => uint256) private _newestIssuedAt;
    mapping(bytes32 agreement => mapping(uint256 cycle => bool)) private _charged;
    mapping(bytes32 mandate => Made[]) private _made;
    /// @dev Under any mandate of the agreement with a limit of 30 days.
    mapping(bytes32 agreement => Taken[]) private _taken;
    mapping(bytes32 payee => Payee) private _payees;
    bytes32[] private _announced;
    uint256 private _pausedAt;
    uint256 private _pausedFor;

    function sign(Mandates.Mandate memory mandate) external {
        _signed[keccak256(abi.encode(mandate))] = true;
    }

    function revoke(address payer, bytes32 merchant, bytes32 agreement) external {
        _revoked[keccak256(abi.encode(payer, merchant, agreement))] = true;
    }

    function setPaused(bool value, uint256 moment) external {
        if (value) _pausedAt = moment;
        else _pausedFor += moment - _pausedAt;
        paused = value;
    }

    function addSender(address sender) external {
        isSender[sender] = true;
    }

    /// @notice What the sender has announced or confirmed no longer stands for a payee.
    function removeSender(address sender) external {
        isSender[sender] = false;
        for (uint256 i; i < _announced.length; ++i) {
            Payee storage payee = _payees[_announced[i]];
            if (payee.announcedBy == sender) payee.announcedBy = address(0);
            if (payee.confirmedBy == sender) payee.confirmedBy = address(0);
        }
    }

    function announce(bytes32 merchant, address account, address sender, uint256 moment) external {
        bytes32 id = keccak256(abi.encode(merchant, account));
        if (_stands(_payees[id], moment)) return;
        _payees[id] = Payee(sender, address(0), false, false, _clock(moment) + DELAY);
        _announced.push(id);
    }

    function confirm(bytes32 merchant, address account, address sender, bool byOwner) external {
        Payee storage payee = _payees[keccak256(abi.encode(merchant, account))];
        if (byOwner) payee.byOwner = true;
        else payee.confirmedBy = sender;
    }

    function withdraw(bytes32 merchant, address account) external {
        delete _payees[keccak256(abi.encode(merchant, account))];
    }

    /// @notice A charge was made: reverts with the property that it breaks, and counts it.
    function record(Mandates.MandateCharge memory item, address sender, uint256 moment) external {
        Mandates.Mandate memory mandate = item.mandate;
        bytes32 id = keccak256(abi.encode(mandate));
        bytes32 agreement = keccak256(abi.encode(mandate.payer, mandate.merchant, mandate.agreement));
        require(_signed[id], "P1: the payer has signed this mandate, for this router");
        require(!_revoked[agreement], "P3: nothing is taken after a revocation");
        require(isSender[sender], "P4: a removed sender charges nothing");
        require(!paused, "P4: nothing is charged during a pause");
        require(!_charged[agreement][item.cycle], "P5: no cycle is charged twice");
        require(moment >= mandate.start && (mandate.end == 0 || moment <= mandate.end), "P1: between start and end");
        _charged[agreement][item.cycle] = true;
        if (_newest[agreement] != id) {
            require(mandate.issuedAt > _newestIssuedAt[agreement], "P1: only the newest mandate of an agreement");
            (_newest[agreement], _newestIssuedAt[agreement]) = (id, mandate.issuedAt);
        }
        uint256 gross = _checkShares(item, moment);
        if (mandate.per30Days != 0) _checkThirtyDays(agreement, gross, mandate.per30Days, moment);
        _checkRhythm(id, mandate, moment);
    }

    /// @dev The 30 days that end with a charge have the most of all that have it, so no others are looked at.
    function _checkThirtyDays(bytes32 agreement, uint256 gross, uint256 most, uint256 moment) private {
        Taken[] storage taken = _taken[agreement];
        taken.push(Taken(moment, gross));
        uint256 sum;
        for (uint256 i; i < taken.length; ++i) if (taken[i].moment + 30 days > moment) sum += taken[i].gross;
        require(sum <= most, "P1: no more than per30Days in any 30 days");
    }

    function _checkShares(Mandates.MandateCharge memory item, uint256 moment) private returns (uint256 gross) {
        Mandates.Mandate memory mandate = item.mandate;
        uint256 fee;
        for (uint256 i; i < item.to.length; ++i) {
            gross += item.amounts[i];
            if (item.to[i] == mandate.platform) fee += item.amounts[i];
            else if (item.amounts[i] > 0 && !_isNamed(mandate.payees, item.to[i])) {
                _pay(_payees[keccak256(abi.encode(mandate.merchant, item.to[i]))], moment);
            }
        }
        require(gross <= mandate.perCharge, "P1: no more than perCharge");
        require(fee <= (gross * mandate.feeBps) / 10_000, "P2: no more than the signed fee for the platform");
    }

    function _pay(Payee storage payee, uint256 moment) private {
        require(_stands(payee, moment), "P2: others are paid only while their announcement stands");
        require(payee.used || _clock(moment) >= payee.from, "P2: others are paid only after the delay");
        payee.used = true;
    }

    /// @dev Each charge uses up one date of the rhythm, and may be ahead of it by 8 days and by one date at most.
    function _checkRhythm(bytes32 id, Mandates.Mandate memory mandate, uint256 moment) private {
        Made[] storage made = _made[id];
        made.push(Made(moment, _datesUntil(mandate, moment)));
        uint256 count = made.length;
        require(mandate.charges == 0 || count <= mandate.charges, "P1: no more than the number of charges");
        if (mandate.months == 0 && mandate.interval == 0) return;
        uint256 ahead = mandate.interval != 0 && mandate.interval < MOST_AHEAD ? mandate.interval : MOST_AHEAD;
        uint256 dates = _datesUntil(mandate, moment + ahead);
        require(count <= dates + 1, "P1: at most one charge ahead of the rhythm, counted from its start");
        for (uint256 i; i < count; ++i) {
            require(count - i <= dates - made[i].datesBefore + 1, "P1: at most one charge ahead of the rhythm");
        }
    }

    function _datesUntil(Mandates.Mandate memory mandate, uint256 moment) private pure returns (uint256) {
        if (mandate.months != 0) return Calendar.datesUntil(mandate.start, mandate.months, moment);
        return mandate.interval == 0 ? 0 : (moment - mandate.start) / mandate.interval;
    }

    function _stands(Payee storage payee, uint256 moment) private view returns (bool) {
        if (payee.used) return true;
        if (payee.from == 0 || _clock(moment) > payee.from + LAPSE) return false;
        return payee.byOwner || payee.announcedBy != address(0) || payee.confirmedBy != address(0);
    }

    function _clock(uint256 moment) private view returns (uint256) {
        return (paused ? _pausedAt : moment) - _pausedFor;
    }

    function _isNamed(address[] memory payees, address account) private pure returns (bool) {
        for (uint256 i; i < payees.length; ++i) if (payees[i] == account) return true;
        return false;
    }
}
